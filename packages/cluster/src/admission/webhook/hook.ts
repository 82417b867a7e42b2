import type { JsonObject } from "pintle/kinds";
import { metadataOf } from "../../api/index.ts";
import type { ClientConfig } from "../call/caller.ts";
import { type Conditions, conditions } from "../expressions/conditions.ts";
import type { LabelSelector } from "../matching/label-selector.ts";
import type { Criteria } from "../matching/match.ts";
import type { Rule } from "../matching/rule.ts";
import { remembered } from "../remembered.ts";

/** One webhook of a stored configuration, defaults filled in. */
export interface Hook extends Criteria {
  /** Unique among all hooks. */
  readonly id: string;
  readonly name: string;
  readonly clientConfig: ClientConfig;
  readonly failurePolicy: "Fail" | "Ignore";
  readonly sideEffects: string;
  readonly timeoutSeconds: number;
  readonly reviewVersions: readonly string[];
  readonly reinvocationPolicy: "Never" | "IfNeeded";
  readonly conditions: Conditions | undefined;
}

interface Stored {
  readonly name: string;
  readonly clientConfig: ClientConfig;
  readonly rules?: readonly Rule[];
  readonly failurePolicy?: "Fail" | "Ignore";
  readonly matchPolicy?: string;
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  readonly sideEffects?: string;
  readonly timeoutSeconds?: number;
  readonly admissionReviewVersions?: readonly string[];
  readonly reinvocationPolicy?: "Never" | "IfNeeded";
  readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[];
}

/** All webhooks of the configurations, in the order in which they are called. */
export function hooksOf(configurations: readonly JsonObject[]): readonly Hook[] {
  return configurations.flatMap(ofConfiguration);
}

const ofConfiguration = remembered((configuration: JsonObject): readonly Hook[] => {
  const { name } = metadataOf(configuration);
  const hooks = (configuration["webhooks"] ?? []) as unknown as readonly Stored[];
  return hooks.map((hook, index) => hookOf(`${name}/${hook.name}/${index}`, hook));
});

function hookOf(id: string, stored: Stored): Hook {
  const { name, clientConfig, rules = [], failurePolicy = "Fail", matchConditions = [] } = stored;
  return {
    id,
    name,
    clientConfig,
    rules,
    failurePolicy,
    matchPolicy: stored.matchPolicy,
    namespaceSelector: stored.namespaceSelector,
    objectSelector: stored.objectSelector,
    sideEffects: stored.sideEffects ?? "Unknown",
    timeoutSeconds: stored.timeoutSeconds ?? 10,
    reviewVersions: stored.admissionReviewVersions ?? [],
    reinvocationPolicy: stored.reinvocationPolicy ?? "Never",
    conditions: matchConditions.length === 0 ? undefined : conditions(matchConditions, { failurePolicy }),
  };
}
