import type { Pod } from "pintle/kinds/core/v1";
import { pluginFor } from "./plugin.ts";

const SECONDS = 300;

/** Pods stay for a while on a node that is not well, unless they say otherwise. */
export const defaultTolerationSeconds = pluginFor<Pod>("DefaultTolerationSeconds", {
  group: "",
  plural: "pods",
  on: ["CREATE", "UPDATE"],
  change({ spec }) {
    if (!spec) return;
    for (const key of ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"]) {
      const tolerated = spec.tolerations?.some((each) => (!each.key || each.key === key) && (!each.effect || each.effect === "NoExecute"));
      if (tolerated) continue;
      const toleration = { key, operator: "Exists", effect: "NoExecute", tolerationSeconds: SECONDS };
      spec.tolerations = [...(spec.tolerations ?? []), toleration];
    }
  },
});
