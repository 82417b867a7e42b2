import type { Service } from "pintle/kinds/core/v1";
import type { Loose } from "../draft.ts";
import { pluginFor, refusal } from "./plugin.ts";

/** Addresses outside the cluster may be given up, but not taken. */
export const denyServiceExternalIps = pluginFor<Service>("DenyServiceExternalIPs", {
  group: "",
  plural: "services",
  on: ["CREATE", "UPDATE"],
  check({ spec }, request) {
    const before = (request.live as Loose<Service> | undefined)?.spec?.externalIPs ?? [];
    if ((spec?.externalIPs ?? []).every((address) => before.includes(address))) return;
    throw refusal(request, "Use of external IPs is denied by admission control");
  },
});
