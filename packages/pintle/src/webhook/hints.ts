import { isExpressible } from "../resource/index.ts";
import { schemaOf } from "./from-schema.ts";
import { isBuiltIn, webhookName } from "./names.ts";
import type { Webhook } from "./webhook.ts";

/** What is worth knowing about a webhook before it is deployed, a sentence each: what needs none, and what could lock a cluster. */
export function hints(webhook: Webhook): readonly string[] {
  const { kind, matching } = webhook;
  const schema = schemaOf(webhook.validate);
  const name = webhookName("validate", webhook);
  const locks = matching.failurePolicy === "Fail" && kind.scope === "Cluster" && isBuiltIn(kind) && kind.plural !== "namespaces";
  return [
    ...(locks && !matching.systemNamespaces
      ? [
          `${kind.kind} has no namespace to leave out: while the operator is down, none can be written. Leave the cluster's own parts out by matchConditions, or say failurePolicy: "Ignore"`,
        ]
      : []),
    ...(schema !== undefined && "crd" in kind && isExpressible(schema)
      ? [`${name}: its schema has nothing that the CustomResourceDefinition of ${kind.kind} cannot say: put it there, no webhook is needed`]
      : []),
    ...(schema !== undefined && !matching.operations.some((operation) => operation === "CREATE" || operation === "UPDATE")
      ? [`${name}: there is no spec to check when objects are only deleted`]
      : []),
  ];
}
