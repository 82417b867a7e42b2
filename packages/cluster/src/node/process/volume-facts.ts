import type { Pod } from "pintle/kinds/core/v1";
import type { Ground } from "./ground.ts";
import type { VolumeFacts } from "./volume/volumes.ts";

/** What the volumes and variables of a pod are made from. */
export function volumeFacts(
  { client, root, sources, tokens, isRoot, driver, node, faults }: Ground,
  pod: Pod,
  podIP: string,
  folder: string,
): VolumeFacts {
  return {
    client,
    root,
    folder,
    sources,
    tokens,
    mayChown: isRoot,
    podIP: pod.spec.hostNetwork === true ? driver.hostAddress : podIP,
    hostIP: driver.hostAddress,
    nodeName: node.name,
    allocatable: node.allocatable,
    room: (volume) => faults.room.get(`${pod.metadata.namespace}/${pod.metadata.name}/${volume}`),
  };
}
