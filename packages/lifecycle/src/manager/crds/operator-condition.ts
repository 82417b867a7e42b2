import type { JsonObject } from "pintle/internal/json";
import { atomicList, buildOwnDefinition, conditions, OBJECT_FIELDS, object, text } from "./schema.ts";

/** The CRD of OperatorCondition in the version that operators use. */
export function buildOperatorConditionDefinition(): JsonObject {
  return buildOwnDefinition({
    kind: "OperatorCondition",
    group: "operators.coreos.com",
    version: "v2",
    scope: "Namespaced",
    shortNames: ["condition"],
    columns: [
      { name: "Upgradeable", type: "string", jsonPath: ".spec.conditions[?(@.type=='Upgradeable')].status" },
      { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
    ],
    schema: object(
      {
        ...OBJECT_FIELDS,
        spec: object(
          {
            conditions: conditions("What the operator says. Upgradeable=False holds upgrades."),
            deployments: atomicList(text(), { description: "The Deployments of the operator." }),
            overrides: conditions("What an administrator says instead."),
            serviceAccounts: atomicList(text(), { description: "The ServiceAccounts of the operator." }),
          },
          { description: "What is said about the operator." },
        ),
        status: object({ conditions: conditions("What is in effect.") }, { description: "The observed state." }),
      },
      { required: ["metadata"], description: "What an operator says about itself." },
    ),
  });
}
