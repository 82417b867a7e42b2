import type {
  Endpoints,
  LimitRangeItem,
  Namespace,
  NamespaceStatus,
  NodeSpec,
  NodeStatus,
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeClaimSpec,
  ReplicationController,
  Secret,
  Service,
} from "pintle/kinds/core/v1";
import type { Draft } from "../draft.ts";
import type { DefaultingFunctions } from "./struct-defaulter.ts";

const isEmpty = (map: object | null | undefined) => !map || Object.keys(map).length === 0;

export const coreDefaults: DefaultingFunctions = {
  "core.v1.Endpoints": ({ subsets }: Draft<Endpoints>) => {
    for (const subset of subsets ?? []) for (const port of subset.ports ?? []) port.protocol ||= "TCP";
  },
  "core.v1.LimitRangeItem": (item: Draft<LimitRangeItem>) => {
    if (item.type !== "Container") return;
    item.default = { ...item.max, ...item.default };
    item.defaultRequest = { ...item.min, ...item.default, ...item.defaultRequest };
    if (isEmpty(item.default)) delete item.default;
    if (isEmpty(item.defaultRequest)) delete item.defaultRequest;
  },
  "core.v1.Namespace": ({ metadata }: Draft<Namespace>) => {
    if (metadata?.name) metadata.labels = { ...metadata.labels, "kubernetes.io/metadata.name": metadata.name };
  },
  "core.v1.NamespaceStatus": (status: Draft<NamespaceStatus>) => {
    status.phase ||= "Active";
  },
  "core.v1.NodeSpec": (spec: Draft<NodeSpec>) => {
    // podCIDR wins over podCIDRs.
    if (spec.podCIDR && spec.podCIDRs?.[0] !== spec.podCIDR) spec.podCIDRs = [spec.podCIDR];
    if (spec.podCIDRs?.length) spec.podCIDR = spec.podCIDRs[0];
  },
  "core.v1.NodeStatus": (status: Draft<NodeStatus>) => {
    if (!status.allocatable && status.capacity) status.allocatable = { ...status.capacity };
  },
  "core.v1.PersistentVolume": ({ spec, status }: Draft<PersistentVolume>) => {
    if (status) status.phase ||= "Pending";
    if (!spec) return;
    spec.persistentVolumeReclaimPolicy ||= "Retain";
    spec.volumeMode ??= "Filesystem";
  },
  "core.v1.PersistentVolumeClaim": ({ status }: Draft<PersistentVolumeClaim>) => {
    if (status) status.phase ||= "Pending";
  },
  "core.v1.PersistentVolumeClaimSpec": (spec: Draft<PersistentVolumeClaimSpec>) => {
    spec.volumeMode ??= "Filesystem";
  },
  "core.v1.ReplicationController": ({ metadata, spec }: Draft<ReplicationController>) => {
    const labels = spec?.template?.metadata?.labels;
    if (!spec || !metadata || !labels) return;
    if (isEmpty(spec.selector)) spec.selector = { ...labels };
    if (isEmpty(metadata.labels)) metadata.labels = { ...labels };
  },
  "core.v1.Secret": (secret: Draft<Secret> & { stringData?: Record<string, string> }) => {
    secret.type ||= "Opaque";
    const plain = Object.entries(secret.stringData ?? {}).map(([key, text]) => [key, Buffer.from(text).toString("base64")]);
    if (plain.length > 0) secret.data = { ...secret.data, ...Object.fromEntries(plain) };
    delete secret.stringData;
  },
  "core.v1.Service": defaultService,
};

const TYPES_WITH_INTERNAL_TRAFFIC_POLICY = new Set(["ClusterIP", "NodePort", "LoadBalancer"]);

function defaultService({ spec, status }: Draft<Service>): void {
  if (!spec) return;
  spec.sessionAffinity ||= "None";
  if (spec.sessionAffinity === "None") delete spec.sessionAffinityConfig;
  if (spec.sessionAffinity === "ClientIP" && spec.sessionAffinityConfig?.clientIP?.timeoutSeconds == null) {
    spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: 10800 } };
  }
  spec.type ||= "ClusterIP";
  for (const port of spec.ports ?? []) {
    port.protocol ||= "TCP";
    if (!port.targetPort) port.targetPort = port.port;
  }
  const outside = spec.type === "NodePort" || spec.type === "LoadBalancer" || (spec.type === "ClusterIP" && !!spec.externalIPs?.length);
  if (outside) spec.externalTrafficPolicy ||= "Cluster";
  if (TYPES_WITH_INTERNAL_TRAFFIC_POLICY.has(spec.type)) spec.internalTrafficPolicy ??= "Cluster";
  if (spec.type !== "LoadBalancer") return;
  spec.allocateLoadBalancerNodePorts ??= true;
  for (const ingress of status?.loadBalancer?.ingress ?? []) if (ingress.ip) ingress.ipMode ??= "VIP";
}
