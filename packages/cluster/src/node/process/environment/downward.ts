import type { Container, ObjectFieldSelector, Pod, ResourceFieldSelector } from "pintle/kinds/core/v1";
import { nanos } from "../../../builtin/index.ts";

export interface Downward {
  readonly podIP: string;
  readonly hostIP: string;
  readonly nodeName: string;
  /** What the node has to give: the limit of a container without one. */
  readonly allocatable: Readonly<Record<string, string>>;
}

/** A field of the pod, as its containers are told. Throws for what no container can be told. */
export function podField(pod: Pod, { fieldPath }: ObjectFieldSelector, { podIP, hostIP, nodeName }: Downward): string {
  const { metadata, spec } = pod;
  const [, map, key] = /^metadata\.(labels|annotations)\['(.*)'\]$/.exec(fieldPath) ?? [];
  if (key !== undefined) return (map === "labels" ? metadata.labels : metadata.annotations)?.[key] ?? "";
  switch (fieldPath) {
    case "metadata.name":
      return metadata.name;
    case "metadata.namespace":
      return metadata.namespace;
    case "metadata.uid":
      return metadata.uid;
    case "metadata.labels":
      return lines(metadata.labels ?? {});
    case "metadata.annotations":
      return lines(metadata.annotations ?? {});
    case "spec.nodeName":
      return nodeName;
    case "spec.serviceAccountName":
      return spec.serviceAccountName ?? "";
    case "spec.schedulerName":
      return spec.schedulerName ?? "";
    case "status.hostIP":
    case "status.hostIPs":
      return hostIP;
    case "status.podIP":
    case "status.podIPs":
      return podIP;
    default:
      throw new Error(`unsupported fieldPath: ${fieldPath}`);
  }
}

/** A container's share, in whole units of the divisor, rounded up. */
export function resourceField(pod: Pod, self: Container, selector: ResourceFieldSelector, { allocatable }: Downward): string {
  const { containerName = self.name, resource, divisor = "1" } = selector;
  const all = [...(pod.spec.initContainers ?? []), ...pod.spec.containers];
  const container = all.find(({ name }) => name === containerName);
  if (container === undefined) throw new Error(`container ${containerName} not found`);
  const [kind = "", ...rest] = resource.split(".");
  const name = rest.join(".");
  const { limits = {}, requests = {} } = container.resources ?? {};
  const own = kind === "limits" ? (limits[name] ?? allocatable[name]) : requests[name];
  const unit = divisor === "0" ? "1" : String(divisor);
  const value = nanos(String(own ?? "0"));
  const per = nanos(unit);
  return String((value + per - 1n) / per);
}

const lines = (map: Readonly<Record<string, string>>) =>
  Object.keys(map)
    .sort()
    .map((key) => `${key}=${JSON.stringify(map[key])}`)
    .join("\n");
