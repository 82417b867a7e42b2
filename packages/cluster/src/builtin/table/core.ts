import type {
  ComponentStatus,
  ConfigMap,
  Endpoints,
  Event,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  PodTemplate,
  ReplicationController,
  ResourceQuota,
  Secret,
  Service,
} from "pintle/kinds/core/v1";
import type { Event as EventsEvent } from "pintle/kinds/events/v1";
import type { Loose } from "../draft.ts";
import { AGE, containerColumns, few, integer, labels, NAME, name, printer, since, text, wide } from "./printer.ts";

const size = (map: object | null | undefined) => Object.keys(map ?? {}).length;

export const configMapTable = printer<ConfigMap>(
  NAME,
  text("Data", ({ data, binaryData }) => size(data) + size(binaryData)),
  AGE,
);
export const secretTable = printer<Secret>(
  NAME,
  text("Type", ({ type }) => type),
  text("Data", ({ data }) => size(data)),
  AGE,
);
export const namespaceTable = printer<Namespace>(
  NAME,
  text("Status", ({ status }) => status?.phase),
  AGE,
);

export const podTemplateTable = printer<PodTemplate>(
  NAME,
  ...containerColumns<PodTemplate>(({ template }) => template?.spec?.containers),
  text("Pod Labels", ({ template }) => labels(template?.metadata?.labels)),
);

export const replicationControllerTable = printer<ReplicationController>(
  NAME,
  integer("Desired", ({ spec }) => spec?.replicas ?? 0),
  integer("Current", ({ status }) => status?.replicas ?? 0),
  integer("Ready", ({ status }) => status?.readyReplicas ?? 0),
  AGE,
  ...containerColumns<ReplicationController>(({ spec }) => spec?.template?.spec?.containers).map(wide),
  wide(text("Selector", ({ spec }) => labels(spec?.selector))),
);

export const serviceTable = printer<Service>(
  NAME,
  text("Type", ({ spec }) => spec?.type),
  text("Cluster-IP", ({ spec }) => spec?.clusterIPs?.[0] ?? "<none>"),
  text("External-IP", (service) => externalIp(service)),
  text("Port(s)", ({ spec }) => {
    const ports = (spec?.ports ?? []).map(({ port, nodePort, protocol }) => `${port}${nodePort ? `:${nodePort}` : ""}/${protocol}`);
    return ports.join(",") || "<none>";
  }),
  AGE,
  wide(text("Selector", ({ spec }) => labels(spec?.selector))),
);

function externalIp({ spec, status }: Loose<Service>): string {
  const external = spec?.externalIPs ?? [];
  switch (spec?.type) {
    case "ClusterIP":
    case "NodePort":
      return external.join(",") || "<none>";
    case "LoadBalancer":
      return [...balancers(status?.loadBalancer?.ingress), ...external].join(",") || "<pending>";
    case "ExternalName":
      return spec.externalName ?? "";
    default:
      return "<unknown>";
  }
}

type Ingress = Loose<{ readonly ip: string; readonly hostname: string }>;

/** Addresses of load balancers, sorted, each once. */
export function balancers(ingress: readonly Ingress[] | null | undefined): readonly string[] {
  const addresses = (ingress ?? []).map(({ ip, hostname }) => ip || hostname || "").filter((address) => address !== "");
  return [...new Set(addresses)].sort();
}

export const componentStatusTable = printer<ComponentStatus>(
  NAME,
  text("Status", ({ conditions }) => (health(conditions)?.status === "True" ? "Healthy" : "Unhealthy")),
  text("Message", ({ conditions }) => health(conditions)?.message),
  text("Error", ({ conditions }) => health(conditions)?.error),
);

const health = (conditions: Loose<ComponentStatus>["conditions"]) => conditions?.find(({ type }) => type === "Healthy");

export const endpointsTable = printer<Endpoints>(
  NAME,
  text("Endpoints", (object) => endpoints(object)),
  AGE,
);

function endpoints({ subsets }: Loose<Endpoints>): string {
  if (!subsets?.length) return "<none>";
  const host = (ip: string) => (ip.includes(":") ? `[${ip}]` : ip);
  const all = subsets.flatMap(({ addresses, ports }) => {
    const ips = (addresses ?? []).map(({ ip }) => ip ?? "");
    return ports?.length ? ports.flatMap(({ port }) => ips.map((ip) => `${host(ip)}:${port}`)) : ips;
  });
  return few(all);
}

const ROLE = "node-role.kubernetes.io/";

export const nodeTable = printer<Node>(
  NAME,
  text("Status", ({ spec, status }) => {
    const ready = status?.conditions?.findLast(({ type }) => type === "Ready");
    const state = ready === undefined ? "Unknown" : ready.status === "True" ? "Ready" : "NotReady";
    return spec?.unschedulable ? `${state},SchedulingDisabled` : state;
  }),
  text("Roles", ({ metadata }) => {
    const roles = Object.entries(metadata?.labels ?? {}).map(([key, value]) =>
      key.startsWith(ROLE) ? key.slice(ROLE.length) : key === "kubernetes.io/role" ? (value ?? "") : "",
    );
    return [...new Set(roles.filter((role) => role !== ""))].sort().join(",") || "<none>";
  }),
  AGE,
  text("Version", ({ status }) => status?.nodeInfo?.kubeletVersion),
  wide(text("Internal-IP", (node) => address(node, "InternalIP"))),
  wide(text("External-IP", (node) => address(node, "ExternalIP"))),
  wide(text("OS-Image", ({ status }) => status?.nodeInfo?.osImage || "<unknown>")),
  wide(
    text("Kernel-Version", ({ status }) => {
      const { kernelVersion, architecture } = status?.nodeInfo ?? {};
      return `${kernelVersion || "<unknown>"}${architecture ? ` (${architecture})` : ""}`;
    }),
  ),
  wide(text("Container-Runtime", ({ status }) => status?.nodeInfo?.containerRuntimeVersion || "<unknown>")),
);

function address({ status }: Loose<Node>, type: string): string {
  return status?.addresses?.find((each) => each.type === type)?.address ?? "<none>";
}

export const eventTable = printer<Event>(
  text("Last Seen", (event, now) => lastSeen(event, now)),
  text("Type", ({ type }) => type),
  text("Reason", ({ reason }) => reason),
  text("Object", ({ involvedObject }) => {
    const kind = (involvedObject?.kind ?? "").toLowerCase();
    return involvedObject?.name ? `${kind}/${involvedObject.name}` : kind;
  }),
  wide(text("Subobject", ({ involvedObject }) => involvedObject?.fieldPath)),
  wide(
    text("Source", ({ source, reportingComponent, reportingInstance }) => {
      const instance = source?.host || reportingInstance;
      const component = source?.component || reportingComponent || "";
      return instance ? `${component}, ${instance}` : component;
    }),
  ),
  text("Message", ({ message }) => message?.trim()),
  wide(text("First Seen", (event, now) => firstSeen(event, now))),
  wide(text("Count", ({ series, count }) => (series ? (series.count ?? 0) : count || 1))),
  wide(name("Name", ({ metadata }) => metadata?.name)),
);

function firstSeen({ firstTimestamp, eventTime }: Loose<Event>, now: number): string {
  return since(firstTimestamp || eventTime, now);
}

function lastSeen(event: Loose<Event>, now: number): string {
  if (event.series) return since(event.series.lastObservedTime, now);
  return event.lastTimestamp ? since(event.lastTimestamp, now) : firstSeen(event, now);
}

/** The same events, in the words of events.k8s.io. */
export const eventsEventTable = {
  ...eventTable,
  cells: (object: object, now: number) => {
    const event = object as Loose<EventsEvent>;
    const core = {
      metadata: event.metadata,
      involvedObject: event.regarding,
      type: event.type,
      reason: event.reason,
      message: event.note,
      source: event.deprecatedSource,
      firstTimestamp: event.deprecatedFirstTimestamp,
      lastTimestamp: event.deprecatedLastTimestamp,
      count: event.deprecatedCount,
      eventTime: event.eventTime,
      series: event.series,
      reportingComponent: event.reportingController,
      reportingInstance: event.reportingInstance,
    };
    return eventTable.cells(core as never, now);
  },
};

export const resourceQuotaTable = printer<ResourceQuota>(
  NAME,
  text("Request", (quota) => usage(quota, (resource) => !resource.startsWith("limits."))),
  text("Limit", (quota) => usage(quota, (resource) => resource.startsWith("limits."))),
  AGE,
);

function usage({ status }: Loose<ResourceQuota>, wanted: (resource: string) => boolean): string {
  return Object.entries(status?.hard ?? {})
    .filter(([resource]) => wanted(resource))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([resource, hard]) => `${resource}: ${status?.used?.[resource] ?? "0"}/${hard}`)
    .join(", ");
}

const MODES = { ReadWriteOnce: "RWO", ReadOnlyMany: "ROX", ReadWriteMany: "RWX", ReadWriteOncePod: "RWOP" };
const CLASS = "volume.beta.kubernetes.io/storage-class";

function accessModes(modes: readonly string[] | null | undefined): string {
  return Object.entries(MODES)
    .filter(([mode]) => modes?.includes(mode))
    .map(([, short]) => short)
    .join(",");
}

export const persistentVolumeTable = printer<PersistentVolume>(
  NAME,
  text("Capacity", ({ spec }) => spec?.capacity?.["storage"] ?? "0"),
  text("Access Modes", ({ spec }) => accessModes(spec?.accessModes)),
  text("Reclaim Policy", ({ spec }) => spec?.persistentVolumeReclaimPolicy),
  text("Status", ({ metadata, status }) => (metadata?.deletionTimestamp ? "Terminating" : status?.phase)),
  text("Claim", ({ spec }) => (spec?.claimRef ? `${spec.claimRef.namespace ?? ""}/${spec.claimRef.name ?? ""}` : "")),
  text("StorageClass", ({ metadata, spec }) => metadata?.annotations?.[CLASS] ?? spec?.storageClassName),
  text("VolumeAttributesClass", ({ spec }) => spec?.volumeAttributesClassName ?? "<unset>"),
  text("Reason", ({ status }) => status?.reason),
  AGE,
  wide(text("VolumeMode", ({ spec }) => spec?.volumeMode ?? "<unset>")),
);

export const persistentVolumeClaimTable = printer<PersistentVolumeClaim>(
  NAME,
  text("Status", ({ metadata, status }) => (metadata?.deletionTimestamp ? "Terminating" : status?.phase)),
  text("Volume", ({ spec }) => spec?.volumeName),
  text("Capacity", ({ spec, status }) => (spec?.volumeName ? (status?.capacity?.["storage"] ?? "0") : "")),
  text("Access Modes", ({ spec, status }) => (spec?.volumeName ? accessModes(status?.accessModes) : "")),
  text("StorageClass", ({ metadata, spec }) => metadata?.annotations?.[CLASS] ?? spec?.storageClassName),
  text("VolumeAttributesClass", ({ spec }) => spec?.volumeAttributesClassName ?? "<unset>"),
  AGE,
  wide(text("VolumeMode", ({ spec }) => spec?.volumeMode ?? "<unset>")),
);
