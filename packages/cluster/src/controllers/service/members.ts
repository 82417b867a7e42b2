import type { Pod, Service, ServicePort } from "pintle/kinds/core/v1";

/** A pod can be reached, or soon: it has an address and has not ended. */
export function isReachable(pod: Pod, alsoGoing: boolean): boolean {
  const { phase, podIP } = pod.status;
  if (phase === "Succeeded" || phase === "Failed" || !podIP) return false;
  return alsoGoing || pod.metadata.deletionTimestamp === undefined;
}

/** The number of a service's port on a pod, whose containers may name it differently; undefined when it has none such. */
export function targetPort(pod: Pod, { port, targetPort: target = port, protocol = "TCP" }: ServicePort): number | undefined {
  if (typeof target === "number") return target;
  const sidecars = (pod.spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
  for (const { ports = [] } of [...pod.spec.containers, ...sidecars]) {
    const found = ports.find((each) => each.name === target && (each.protocol ?? "TCP") === protocol);
    if (found !== undefined) return found.containerPort;
  }
  return undefined;
}

/** The pod's own name within the service, where it asked for one. */
export function hostnameOf(pod: Pod, { metadata }: Service): string | undefined {
  const { hostname, subdomain } = pod.spec;
  return hostname && subdomain === metadata.name && pod.metadata.namespace === metadata.namespace ? hostname : undefined;
}

export const isHeadless = ({ spec }: Service) => !spec.clusterIP || spec.clusterIP === "None";
