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
import type { Unvalidated } from "../draft.ts";
import {
  AGE_COLUMN,
  createContainerColumns,
  createTablePrinter,
  formatFirst,
  formatLabels,
  formatTimeSince,
  integerColumn,
  NAME_COLUMN,
  nameColumn,
  stringColumn,
  wideColumn,
} from "./table-printer.ts";

const countKeys = (map: object | null | undefined) => Object.keys(map ?? {}).length;

export const configMapPrinter = createTablePrinter<ConfigMap>(
  NAME_COLUMN,
  stringColumn("Data", ({ data, binaryData }) => countKeys(data) + countKeys(binaryData)),
  AGE_COLUMN,
);
export const secretPrinter = createTablePrinter<Secret>(
  NAME_COLUMN,
  stringColumn("Type", ({ type }) => type),
  stringColumn("Data", ({ data }) => countKeys(data)),
  AGE_COLUMN,
);
export const namespacePrinter = createTablePrinter<Namespace>(
  NAME_COLUMN,
  stringColumn("Status", ({ status }) => status?.phase),
  AGE_COLUMN,
);

export const podTemplatePrinter = createTablePrinter<PodTemplate>(
  NAME_COLUMN,
  ...createContainerColumns<PodTemplate>(({ template }) => template?.spec?.containers),
  stringColumn("Pod Labels", ({ template }) => formatLabels(template?.metadata?.labels)),
);

export const replicationControllerPrinter = createTablePrinter<ReplicationController>(
  NAME_COLUMN,
  integerColumn("Desired", ({ spec }) => spec?.replicas ?? 0),
  integerColumn("Current", ({ status }) => status?.replicas ?? 0),
  integerColumn("Ready", ({ status }) => status?.readyReplicas ?? 0),
  AGE_COLUMN,
  ...createContainerColumns<ReplicationController>(({ spec }) => spec?.template?.spec?.containers).map(wideColumn),
  wideColumn(stringColumn("Selector", ({ spec }) => formatLabels(spec?.selector))),
);

export const servicePrinter = createTablePrinter<Service>(
  NAME_COLUMN,
  stringColumn("Type", ({ spec }) => spec?.type),
  stringColumn("Cluster-IP", ({ spec }) => spec?.clusterIPs?.[0] ?? "<none>"),
  stringColumn("External-IP", (service) => formatExternalIp(service)),
  stringColumn("Port(s)", ({ spec }) => {
    const ports = (spec?.ports ?? []).map(({ port, nodePort, protocol }) => `${port}${nodePort ? `:${nodePort}` : ""}/${protocol}`);
    return ports.join(",") || "<none>";
  }),
  AGE_COLUMN,
  wideColumn(stringColumn("Selector", ({ spec }) => formatLabels(spec?.selector))),
);

function formatExternalIp({ spec, status }: Unvalidated<Service>): string {
  const external = spec?.externalIPs ?? [];
  switch (spec?.type) {
    case "ClusterIP":
    case "NodePort":
      return external.join(",") || "<none>";
    case "LoadBalancer":
      return [...listLoadBalancerAddresses(status?.loadBalancer?.ingress), ...external].join(",") || "<pending>";
    case "ExternalName":
      return spec.externalName ?? "";
    default:
      return "<unknown>";
  }
}

type LoadBalancerIngress = Unvalidated<{ readonly ip: string; readonly hostname: string }>;

/** Returns the addresses of load balancers, sorted and without duplicates. */
export function listLoadBalancerAddresses(ingress: readonly LoadBalancerIngress[] | null | undefined): readonly string[] {
  const addresses = (ingress ?? []).map(({ ip, hostname }) => ip || hostname || "").filter((address) => address !== "");
  return [...new Set(addresses)].sort();
}

export const componentStatusPrinter = createTablePrinter<ComponentStatus>(
  NAME_COLUMN,
  stringColumn("Status", ({ conditions }) => (findHealthCondition(conditions)?.status === "True" ? "Healthy" : "Unhealthy")),
  stringColumn("Message", ({ conditions }) => findHealthCondition(conditions)?.message),
  stringColumn("Error", ({ conditions }) => findHealthCondition(conditions)?.error),
);

const findHealthCondition = (conditions: Unvalidated<ComponentStatus>["conditions"]) => conditions?.find(({ type }) => type === "Healthy");

export const endpointsPrinter = createTablePrinter<Endpoints>(
  NAME_COLUMN,
  stringColumn("Endpoints", (object) => formatEndpoints(object)),
  AGE_COLUMN,
);

function formatEndpoints({ subsets }: Unvalidated<Endpoints>): string {
  if (!subsets?.length) return "<none>";
  const host = (ip: string) => (ip.includes(":") ? `[${ip}]` : ip);
  const all = subsets.flatMap(({ addresses, ports }) => {
    const ips = (addresses ?? []).map(({ ip }) => ip ?? "");
    return ports?.length ? ports.flatMap(({ port }) => ips.map((ip) => `${host(ip)}:${port}`)) : ips;
  });
  return formatFirst(all);
}

const ROLE_LABEL_PREFIX = "node-role.kubernetes.io/";

export const nodePrinter = createTablePrinter<Node>(
  NAME_COLUMN,
  stringColumn("Status", ({ spec, status }) => {
    const ready = status?.conditions?.findLast(({ type }) => type === "Ready");
    const state = ready === undefined ? "Unknown" : ready.status === "True" ? "Ready" : "NotReady";
    return spec?.unschedulable ? `${state},SchedulingDisabled` : state;
  }),
  stringColumn("Roles", ({ metadata }) => {
    const roles = Object.entries(metadata?.labels ?? {}).map(([key, value]) =>
      key.startsWith(ROLE_LABEL_PREFIX) ? key.slice(ROLE_LABEL_PREFIX.length) : key === "kubernetes.io/role" ? (value ?? "") : "",
    );
    return [...new Set(roles.filter((role) => role !== ""))].sort().join(",") || "<none>";
  }),
  AGE_COLUMN,
  stringColumn("Version", ({ status }) => status?.nodeInfo?.kubeletVersion),
  wideColumn(stringColumn("Internal-IP", (node) => formatNodeAddress(node, "InternalIP"))),
  wideColumn(stringColumn("External-IP", (node) => formatNodeAddress(node, "ExternalIP"))),
  wideColumn(stringColumn("OS-Image", ({ status }) => status?.nodeInfo?.osImage || "<unknown>")),
  wideColumn(
    stringColumn("Kernel-Version", ({ status }) => {
      const { kernelVersion, architecture } = status?.nodeInfo ?? {};
      return `${kernelVersion || "<unknown>"}${architecture ? ` (${architecture})` : ""}`;
    }),
  ),
  wideColumn(stringColumn("Container-Runtime", ({ status }) => status?.nodeInfo?.containerRuntimeVersion || "<unknown>")),
);

function formatNodeAddress({ status }: Unvalidated<Node>, type: string): string {
  return status?.addresses?.find((each) => each.type === type)?.address ?? "<none>";
}

export const eventPrinter = createTablePrinter<Event>(
  stringColumn("Last Seen", (event, now) => formatLastSeen(event, now)),
  stringColumn("Type", ({ type }) => type),
  stringColumn("Reason", ({ reason }) => reason),
  stringColumn("Object", ({ involvedObject }) => {
    const kind = (involvedObject?.kind ?? "").toLowerCase();
    return involvedObject?.name ? `${kind}/${involvedObject.name}` : kind;
  }),
  wideColumn(stringColumn("Subobject", ({ involvedObject }) => involvedObject?.fieldPath)),
  wideColumn(
    stringColumn("Source", ({ source, reportingComponent, reportingInstance }) => {
      const instance = source?.host || reportingInstance;
      const component = source?.component || reportingComponent || "";
      return instance ? `${component}, ${instance}` : component;
    }),
  ),
  stringColumn("Message", ({ message }) => message?.trim()),
  wideColumn(stringColumn("First Seen", (event, now) => formatFirstSeen(event, now))),
  wideColumn(stringColumn("Count", ({ series, count }) => (series ? (series.count ?? 0) : count || 1))),
  wideColumn(nameColumn("Name", ({ metadata }) => metadata?.name)),
);

function formatFirstSeen({ firstTimestamp, eventTime }: Unvalidated<Event>, now: number): string {
  return formatTimeSince(firstTimestamp || eventTime, now);
}

function formatLastSeen(event: Unvalidated<Event>, now: number): string {
  if (event.series) return formatTimeSince(event.series.lastObservedTime, now);
  return event.lastTimestamp ? formatTimeSince(event.lastTimestamp, now) : formatFirstSeen(event, now);
}

/** Printer of events.k8s.io events; same columns as core events. */
export const eventsEventPrinter = {
  ...eventPrinter,
  cells: (object: object, now: number) => {
    const event = object as Unvalidated<EventsEvent>;
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
    return eventPrinter.cells(core as never, now);
  },
};

export const resourceQuotaPrinter = createTablePrinter<ResourceQuota>(
  NAME_COLUMN,
  stringColumn("Request", (quota) => formatUsage(quota, (resource) => !resource.startsWith("limits."))),
  stringColumn("Limit", (quota) => formatUsage(quota, (resource) => resource.startsWith("limits."))),
  AGE_COLUMN,
);

function formatUsage({ status }: Unvalidated<ResourceQuota>, includes: (resource: string) => boolean): string {
  return Object.entries(status?.hard ?? {})
    .filter(([resource]) => includes(resource))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([resource, hard]) => `${resource}: ${status?.used?.[resource] ?? "0"}/${hard}`)
    .join(", ");
}

const ACCESS_MODE_ABBREVIATIONS = { ReadWriteOnce: "RWO", ReadOnlyMany: "ROX", ReadWriteMany: "RWX", ReadWriteOncePod: "RWOP" };
const STORAGE_CLASS_ANNOTATION = "volume.beta.kubernetes.io/storage-class";

function formatAccessModes(modes: readonly string[] | null | undefined): string {
  return Object.entries(ACCESS_MODE_ABBREVIATIONS)
    .filter(([mode]) => modes?.includes(mode))
    .map(([, short]) => short)
    .join(",");
}

export const persistentVolumePrinter = createTablePrinter<PersistentVolume>(
  NAME_COLUMN,
  stringColumn("Capacity", ({ spec }) => spec?.capacity?.["storage"] ?? "0"),
  stringColumn("Access Modes", ({ spec }) => formatAccessModes(spec?.accessModes)),
  stringColumn("Reclaim Policy", ({ spec }) => spec?.persistentVolumeReclaimPolicy),
  stringColumn("Status", ({ metadata, status }) => (metadata?.deletionTimestamp ? "Terminating" : status?.phase)),
  stringColumn("Claim", ({ spec }) => (spec?.claimRef ? `${spec.claimRef.namespace ?? ""}/${spec.claimRef.name ?? ""}` : "")),
  stringColumn("StorageClass", ({ metadata, spec }) => metadata?.annotations?.[STORAGE_CLASS_ANNOTATION] ?? spec?.storageClassName),
  stringColumn("VolumeAttributesClass", ({ spec }) => spec?.volumeAttributesClassName ?? "<unset>"),
  stringColumn("Reason", ({ status }) => status?.reason),
  AGE_COLUMN,
  wideColumn(stringColumn("VolumeMode", ({ spec }) => spec?.volumeMode ?? "<unset>")),
);

export const persistentVolumeClaimPrinter = createTablePrinter<PersistentVolumeClaim>(
  NAME_COLUMN,
  stringColumn("Status", ({ metadata, status }) => (metadata?.deletionTimestamp ? "Terminating" : status?.phase)),
  stringColumn("Volume", ({ spec }) => spec?.volumeName),
  stringColumn("Capacity", ({ spec, status }) => (spec?.volumeName ? (status?.capacity?.["storage"] ?? "0") : "")),
  stringColumn("Access Modes", ({ spec, status }) => (spec?.volumeName ? formatAccessModes(status?.accessModes) : "")),
  stringColumn("StorageClass", ({ metadata, spec }) => metadata?.annotations?.[STORAGE_CLASS_ANNOTATION] ?? spec?.storageClassName),
  stringColumn("VolumeAttributesClass", ({ spec }) => spec?.volumeAttributesClassName ?? "<unset>"),
  AGE_COLUMN,
  wideColumn(stringColumn("VolumeMode", ({ spec }) => spec?.volumeMode ?? "<unset>")),
);
