import type { Pod } from "pintle/kinds/core/v1";
import { pluginFor, refusal } from "./plugin.ts";

const HOST = "kubernetes.io/hostname";

/** Pods may insist on a node of their own, but not on a zone. */
export const limitPodHardAntiAffinityTopology = pluginFor<Pod>("LimitPodHardAntiAffinityTopology", {
  group: "",
  plural: "pods",
  on: ["CREATE", "UPDATE"],
  check({ spec }, request) {
    const required = spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
    const other = required.find(({ topologyKey }) => topologyKey !== HOST);
    if (other === undefined) return;
    const what = "affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey";
    throw refusal(request, `${what} ${other.topologyKey} but only key ${HOST} is allowed`);
  },
});
