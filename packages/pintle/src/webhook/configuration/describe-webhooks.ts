import { PintleError } from "../../errors/index.ts";
import type { KindInfo } from "../../kinds/index.ts";
import { type AnyResource, isStructural } from "../../resource/index.ts";
import type { WebhookRegistration } from "../declare/registration.ts";
import { schemaOfValidator } from "../declare/validate-with-schema.ts";
import type { Webhook } from "../declare/webhook.ts";
import { type AdmissionPhase, isBuiltInGroup, webhookName, webhookPath } from "./webhook-names.ts";

/** A webhook as plain data, without its functions, for manifests and tools. */
export interface WebhookDescription {
  readonly name: string | undefined;
  readonly kind: Pick<KindInfo, "group" | "version" | "kind" | "plural" | "scope">;
  readonly registration: WebhookRegistration;
  readonly phases: readonly AdmissionPhase[];
}

/** Everything that the webhook server of an operator serves. */
export interface WebhookServerDescription {
  readonly webhooks: readonly WebhookDescription[];
  /** The names of the CustomResourceDefinitions whose versions it converts. */
  readonly conversions: readonly string[];
  /** Advice about the webhooks that the user should read before deployment. */
  readonly hints: readonly string[];
}

/** Describes webhooks and the conversions of resources as plain data. */
export function describeWebhooks(webhooks: readonly Webhook[], resources: readonly AnyResource[]): WebhookServerDescription {
  return {
    webhooks: webhooks.map(describeWebhook),
    conversions: resourcesWithConversion(resources).map(crdName),
    hints: webhooks.flatMap(webhookHints),
  };
}

/** Describes one webhook as plain data. */
export function describeWebhook({ name, kind, registration, ...handlers }: Webhook): WebhookDescription {
  const { group, version, plural, scope } = kind;
  const phases: readonly AdmissionPhase[] = [
    ...(handlers.default === undefined ? [] : ["mutate" as const]),
    ...(handlers.validate === undefined ? [] : ["validate" as const]),
  ];
  return { name, kind: { group, version, kind: kind.kind, plural, scope }, registration, phases };
}

/** Returns the resources whose versions need a conversion webhook. */
export function resourcesWithConversion(resources: readonly AnyResource[]): readonly AnyResource[] {
  return resources.filter((resource) => resource.crd().spec.conversion?.strategy === "Webhook");
}

/** Returns the name of the CustomResourceDefinition: "memcacheds.cache.example.com". */
export const crdName = ({ plural, group }: Pick<KindInfo, "plural" | "group">) => `${plural}.${group}`;

/** Throws `PINTLE5002` if two webhooks would be served at the same path. */
export function checkUniquePaths(webhooks: readonly WebhookDescription[]): void {
  const seen = new Set<string>();
  for (const webhook of webhooks) {
    for (const phase of webhook.phases) {
      const path = webhookPath(phase, webhook);
      if (seen.has(path))
        throw new PintleError(
          "PINTLE5002",
          `two webhooks ${phase} ${webhook.kind.kind}${webhook.name ? ` as ${webhook.name}` : ""}: give one of them another \`name\``,
        );
      seen.add(path);
    }
  }
}

/** Returns advice about a webhook before it is deployed: whether it could lock the cluster, and whether a schema would do instead. */
function webhookHints(webhook: Webhook): readonly string[] {
  const { kind, registration } = webhook;
  const schema = schemaOfValidator(webhook.validate);
  const name = webhookName("validate", webhook);
  const canLockCluster =
    registration.failurePolicy === "Fail" && kind.scope === "Cluster" && isBuiltInGroup(kind) && kind.plural !== "namespaces";
  return [
    ...(canLockCluster && !registration.systemNamespaces
      ? [
          `${kind.kind} is cluster-scoped: while the operator is down, no ${kind.kind} can be written. Exclude the control plane with matchConditions, or set failurePolicy: "Ignore"`,
        ]
      : []),
    ...(schema !== undefined && "crd" in kind && isStructural(schema)
      ? [`${name}: the CustomResourceDefinition of ${kind.kind} can express the whole schema: move it there, no webhook is needed`]
      : []),
    ...(schema !== undefined && !registration.operations.some((operation) => operation === "CREATE" || operation === "UPDATE")
      ? [`${name}: a schema has nothing to check for the operation DELETE: add CREATE or UPDATE`]
      : []),
  ];
}
