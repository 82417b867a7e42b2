import type { Deployment } from "pintle/kinds/apps/v1";
import { equal } from "pintle/merge";
import { rules } from "../rules.ts";
import { deploymentTable } from "../table/workloads.ts";

export const deployment = rules<Deployment>({
  // Annotations are handed on to replica sets, so a change of them is work to do.
  generation: (next, live) => !equal(next["spec"] ?? null, live["spec"] ?? null) || !equal(annotations(next), annotations(live)),
  status: {
    prepare(draft, live) {
      draft.spec = live.spec as never;
      if (draft.metadata) draft.metadata.labels = (live.metadata?.labels ?? undefined) as never;
    },
    resetFields: [["spec"], ["metadata", "labels"]],
  },
  table: deploymentTable,
});

function annotations(object: object): never {
  return ((object as { readonly metadata?: { readonly annotations?: object } }).metadata?.annotations ?? {}) as never;
}
