import type { Pod, Service, ServicePort } from "pintle/kinds/core/v1";

/** Returns whether a pod has an address and is not finished, so that it can be an endpoint. */
export function shouldIncludePod(pod: Pod, includeTerminating: boolean): boolean {
  const { phase, podIP } = pod.status;
  if (phase === "Succeeded" || phase === "Failed" || !podIP) return false;
  return includeTerminating || pod.metadata.deletionTimestamp === undefined;
}

/** Resolves the target port of a Service on a pod, by number or container port name; undefined if the pod has no such port. */
export function resolveTargetPort(pod: Pod, { port, targetPort: target = port, protocol = "TCP" }: ServicePort): number | undefined {
  if (typeof target === "number") return target;
  const sidecars = (pod.spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
  for (const { ports = [] } of [...pod.spec.containers, ...sidecars]) {
    const found = ports.find((each) => each.name === target && (each.protocol ?? "TCP") === protocol);
    if (found !== undefined) return found.containerPort;
  }
  return undefined;
}

/** Returns the hostname of a pod within the subdomain of a headless Service. */
export function getEndpointHostname(pod: Pod, { metadata }: Service): string | undefined {
  const { hostname, subdomain } = pod.spec;
  return hostname && subdomain === metadata.name && pod.metadata.namespace === metadata.namespace ? hostname : undefined;
}

export const isHeadless = ({ spec }: Service) => !spec.clusterIP || spec.clusterIP === "None";
