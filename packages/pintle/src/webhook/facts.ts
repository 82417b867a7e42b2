import type { KindFacts } from "../kinds/index.ts";
import type { AnyResource } from "../resource/index.ts";
import { hints } from "./hints.ts";
import type { Matching } from "./matching.ts";
import { type Phase, pathOf } from "./names.ts";
import type { Webhook } from "./webhook.ts";

/** What a webhook is, without its functions: plain data, for manifests and tools. */
export interface WebhookFacts {
  readonly name: string | undefined;
  readonly kind: Pick<KindFacts, "group" | "version" | "kind" | "plural" | "scope">;
  readonly matching: Matching;
  readonly phases: readonly Phase[];
}

/** Everything an operator's webhook server answers. */
export interface ServedFacts {
  readonly webhooks: readonly WebhookFacts[];
  /** Names of the CustomResourceDefinitions whose versions it converts. */
  readonly conversions: readonly string[];
  /** What is worth knowing before they are deployed, for whoever generates manifests. */
  readonly hints: readonly string[];
}

export function webhookFacts(webhooks: readonly Webhook[], resources: readonly AnyResource[]): ServedFacts {
  return { webhooks: webhooks.map(factsOf), conversions: converting(resources).map(definitionName), hints: webhooks.flatMap(hints) };
}

export function factsOf({ name, kind, matching, ...handlers }: Webhook): WebhookFacts {
  const { group, version, plural, scope } = kind;
  const phases: readonly Phase[] = [
    ...(handlers.default === undefined ? [] : ["mutate" as const]),
    ...(handlers.validate === undefined ? [] : ["validate" as const]),
  ];
  return { name, kind: { group, version, kind: kind.kind, plural, scope }, matching, phases };
}

/** Resources whose versions do not all look alike. */
export function converting(resources: readonly AnyResource[]): readonly AnyResource[] {
  return resources.filter((resource) => resource.crd().spec.conversion?.strategy === "Webhook");
}

export const definitionName = ({ plural, group }: Pick<KindFacts, "plural" | "group">) => `${plural}.${group}`;

/** Two webhooks at one path would answer for each other. */
export function checkPaths(webhooks: readonly WebhookFacts[]): void {
  const seen = new Set<string>();
  for (const webhook of webhooks) {
    for (const phase of webhook.phases) {
      const path = pathOf(phase, webhook);
      if (seen.has(path))
        throw new TypeError(
          `two webhooks ${phase} ${webhook.kind.kind}${webhook.name ? ` as ${webhook.name}` : ""}: give one of them another \`name\``,
        );
      seen.add(path);
    }
  }
}
