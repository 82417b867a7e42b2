import type { JsonObject } from "pintle/kinds";
import type { KindRules } from "../rules.ts";
import { componentStatusTable } from "../table/core.ts";

const COMPONENTS = ["scheduler", "controller-manager", "etcd-0"];

/** The other parts of a control plane, which here live and die with the server that is asked. */
export const componentStatus: KindRules<any> = {
  table: componentStatusTable,
  look: async () => COMPONENTS.map(healthy),
};

function healthy(name: string): JsonObject {
  return {
    kind: "ComponentStatus",
    apiVersion: "v1",
    metadata: { name },
    conditions: [{ type: "Healthy", status: "True", message: "ok" }],
  };
}
