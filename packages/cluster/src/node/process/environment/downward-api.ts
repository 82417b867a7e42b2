import type { Container, ObjectFieldSelector, Pod, ResourceFieldSelector } from "pintle/kinds/core/v1";
import { nanos } from "../../../builtin/index.ts";

export interface DownwardApiSource {
  readonly podIP: string;
  readonly hostIP: string;
  readonly nodeName: string;
  /** The node's resources: the limit of a container without one. */
  readonly allocatable: Readonly<Record<string, string>>;
}

/** Resolves a fieldRef of the downward API. Throws for a field that it does not support. */
export function resolvePodField(pod: Pod, { fieldPath }: ObjectFieldSelector, { podIP, hostIP, nodeName }: DownwardApiSource): string {
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
      return formatMap(metadata.labels ?? {});
    case "metadata.annotations":
      return formatMap(metadata.annotations ?? {});
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

/** Resolves a resourceFieldRef in units of the divisor, rounded up. */
export function resolveResourceField(
  pod: Pod,
  self: Container,
  selector: ResourceFieldSelector,
  { allocatable }: DownwardApiSource,
): string {
  const { containerName = self.name, resource, divisor = "1" } = selector;
  const all = [...(pod.spec.initContainers ?? []), ...pod.spec.containers];
  const container = all.find(({ name }) => name === containerName);
  if (container === undefined) throw new Error(`container ${containerName} not found`);
  const [kind = "", ...rest] = resource.split(".");
  const name = rest.join(".");
  const { limits = {}, requests = {} } = container.resources ?? {};
  const amount = kind === "limits" ? (limits[name] ?? allocatable[name]) : requests[name];
  const unit = divisor === "0" ? "1" : String(divisor);
  const value = nanos(String(amount ?? "0"));
  const per = nanos(unit);
  return String((value + per - 1n) / per);
}

const formatMap = (map: Readonly<Record<string, string>>) =>
  Object.keys(map)
    .sort()
    .map((key) => `${key}=${JSON.stringify(map[key])}`)
    .join("\n");
