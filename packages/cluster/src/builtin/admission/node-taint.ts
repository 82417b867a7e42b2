import type { Node } from "pintle/kinds/core/v1";
import { pluginFor } from "./plugin.ts";

const NOT_READY = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };

/** A new node is not ready; whoever watches over nodes takes the taint away. */
export const taintNodesByCondition = pluginFor<Node>("TaintNodesByCondition", {
  group: "",
  plural: "nodes",
  on: ["CREATE"],
  change(draft) {
    draft.spec ??= {};
    const { taints } = draft.spec;
    if (!taints?.some(({ key, effect }) => key === NOT_READY.key && effect === NOT_READY.effect)) {
      draft.spec.taints = [...(taints ?? []), { ...NOT_READY }];
    }
  },
});
