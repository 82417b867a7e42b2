import { operated } from "../../packages/cluster/test/kubectl/operator.ts";
import type { Start } from "../../packages/cluster/test/kubectl/server.ts";
import { startControlPlane } from "../real/index.ts";

/** What an embedded cluster leaves out: these leave things to controllers that it has not. */
const disableAdmissionPlugins = ["ServiceAccount", "StorageObjectInUseProtection", "TaintNodesByCondition"];

/** A kube-apiserver, with controllers, scheduler and a node where the chapter needs them. */
export const real: Start = async (on) => {
  const plane = await startControlPlane({ disableAdmissionPlugins, ...(on === "api" ? {} : { nodes: 1 }) });
  return on === "operator" ? operated(plane) : plane;
};
