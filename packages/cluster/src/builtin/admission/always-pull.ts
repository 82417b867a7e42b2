import type { Pod } from "pintle/kinds/core/v1";
import { pluginFor } from "./plugin.ts";

/** Images are pulled anew for every pod, so that nobody runs one they have no credentials for. */
export const alwaysPullImages = pluginFor<Pod>("AlwaysPullImages", {
  group: "",
  plural: "pods",
  on: ["CREATE", "UPDATE"],
  change({ spec }) {
    for (const container of [...(spec?.initContainers ?? []), ...(spec?.containers ?? []), ...(spec?.ephemeralContainers ?? [])]) {
      container.imagePullPolicy = "Always";
    }
  },
});
