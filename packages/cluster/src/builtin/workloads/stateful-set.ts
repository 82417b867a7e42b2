import type { StatefulSet } from "pintle/kinds/apps/v1";
import type { Draft } from "../draft.ts";
import { rules } from "../rules.ts";
import { statefulSetTable } from "../table/workloads.ts";

export const statefulSet = rules<StatefulSet>({
  prepareCreate: nameTemplates,
  prepareUpdate: nameTemplates,
  table: statefulSetTable,
});

/** Claim templates are whole objects, and say so. */
function nameTemplates({ spec }: Draft<StatefulSet>): void {
  for (const template of spec?.volumeClaimTemplates ?? []) {
    template.apiVersion = "v1";
    template.kind = "PersistentVolumeClaim";
  }
}
