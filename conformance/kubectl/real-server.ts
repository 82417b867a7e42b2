import { startOperator } from "../../packages/cluster/test/kubectl/operator.ts";
import type { StartServer } from "../../packages/cluster/test/kubectl/scenario-server.ts";
import { startControlPlane } from "../real/index.ts";

/** Admission plugins that the embedded cluster does not have: they depend on controllers that it does not run. */
const disableAdmissionPlugins = ["ServiceAccount", "StorageObjectInUseProtection", "TaintNodesByCondition"];

/** Starts a kube-apiserver, with controllers, scheduler and a node where the chapter needs them. */
export const startRealServer: StartServer = async (on) => {
  const plane = await startControlPlane({ disableAdmissionPlugins, ...(on === "api" ? {} : { nodes: 1 }) });
  return on === "operator" ? startOperator(plane) : plane;
};
