import type { DaemonSet } from "pintle/kinds/apps/v1";
import { equal } from "pintle/merge";
import type { Draft } from "../draft.ts";
import { rules } from "../rules.ts";
import { daemonSetTable } from "../table/workloads.ts";

/** A field that apps/v1 no longer has lives on as an annotation. */
const TEMPLATE_GENERATION = "deprecated.daemonset.template.generation";

export const daemonSet = rules<DaemonSet>({
  prepareCreate: (draft) => setTemplateGeneration(draft, "1"),
  prepareUpdate(draft, live) {
    const was = live.metadata?.annotations?.[TEMPLATE_GENERATION] ?? "0";
    const same = equal((draft.spec?.template ?? null) as never, (live.spec?.template ?? null) as never);
    setTemplateGeneration(draft, same ? was : String(Number(was) + 1));
  },
  table: daemonSetTable,
});

function setTemplateGeneration({ metadata }: Draft<DaemonSet>, generation: string): void {
  if (metadata) metadata.annotations = { ...metadata.annotations, [TEMPLATE_GENERATION]: generation };
}
