import type { Pod } from "pintle/kinds/core/v1";
import type { NodeContext } from "../node-context.ts";
import type { VolumeContext } from "./volume-manager.ts";

/** Builds the inputs for the volumes and variables of a pod. */
export function buildVolumeContext(
  { client, root, configSources, tokens, isRoot, driver, node, faults }: NodeContext,
  pod: Pod,
  podIP: string,
  folder: string,
): VolumeContext {
  return {
    client,
    root,
    folder,
    configSources,
    tokens,
    canChown: isRoot,
    podIP: pod.spec.hostNetwork === true ? driver.hostAddress : podIP,
    hostIP: driver.hostAddress,
    nodeName: node.name,
    allocatable: node.allocatable,
    getDiskSpace: (volume) => faults.diskSpace.get(`${pod.metadata.namespace}/${pod.metadata.name}/${volume}`),
  };
}
