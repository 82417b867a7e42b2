import { memoize } from "pintle/internal/memoize";
import type { JsonObject, LabelSelector } from "pintle/kinds";
import { getMetadata } from "../../api/index.ts";
import { compileMatchConditions, type MatchConditions } from "../expressions/match-conditions.ts";
import type { MatchCriteria } from "../matching/match-request.ts";
import type { RuleWithOperations } from "../matching/rule.ts";
import type { WebhookClientConfig } from "../webhook-client/webhook-client.ts";

/** A webhook of a stored configuration, with defaults. */
export interface Webhook extends MatchCriteria {
  /** Unique among all webhooks. */
  readonly id: string;
  readonly name: string;
  readonly clientConfig: WebhookClientConfig;
  readonly failurePolicy: "Fail" | "Ignore";
  readonly sideEffects: string;
  readonly timeoutSeconds: number;
  readonly reviewVersions: readonly string[];
  readonly reinvocationPolicy: "Never" | "IfNeeded";
  readonly matchConditions: MatchConditions | undefined;
}

interface StoredWebhook {
  readonly name: string;
  readonly clientConfig: WebhookClientConfig;
  readonly rules?: readonly RuleWithOperations[];
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

/** Returns the webhooks of the configurations in calling order. */
export function listWebhooks(configurations: readonly JsonObject[]): readonly Webhook[] {
  return configurations.flatMap(listConfigurationWebhooks);
}

const listConfigurationWebhooks = memoize((configuration: JsonObject): readonly Webhook[] => {
  const { name } = getMetadata(configuration);
  const hooks = (configuration["webhooks"] ?? []) as unknown as readonly StoredWebhook[];
  return hooks.map((hook, index) => toWebhook(`${name}/${hook.name}/${index}`, hook));
});

function toWebhook(id: string, stored: StoredWebhook): Webhook {
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
    matchConditions: matchConditions.length === 0 ? undefined : compileMatchConditions(matchConditions, { failurePolicy }),
  };
}
