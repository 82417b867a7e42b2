import type { Node } from "pintle/kinds/core/v1";
import { rules } from "../rules.ts";
import { nodeTable } from "../table/core.ts";

export const node = rules<Node>({
  statusOnCreate: true,
  selectableFields: { "spec.unschedulable": ({ spec }) => String(spec?.unschedulable ?? false) },
  table: nodeTable,
});
