import type { Client } from "pintle/client";
import { canonicalJson } from "pintle/internal/merge";
import type { JsonObject, KindInfo, Metadata } from "pintle/kinds";
import { ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet } from "pintle/kinds/apps/v1";
import { HorizontalPodAutoscaler } from "pintle/kinds/autoscaling/v2";
import { CronJob, Job } from "pintle/kinds/batch/v1";
import {
  ConfigMap,
  Endpoints,
  Event,
  Namespace,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  ReplicationController,
  ResourceQuota,
  Service,
  ServiceAccount,
} from "pintle/kinds/core/v1";
import { EndpointSlice } from "pintle/kinds/discovery/v1";
import { Ingress } from "pintle/kinds/networking/v1";
import { PodDisruptionBudget } from "pintle/kinds/policy/v1";
import type { createMasker } from "./mask.ts";

type StoredObject = JsonObject & { readonly metadata: Metadata; readonly kind: string };

const KINDS: readonly KindInfo[] = [
  ConfigMap,
  ControllerRevision,
  CronJob,
  DaemonSet,
  Deployment,
  EndpointSlice,
  Endpoints,
  HorizontalPodAutoscaler,
  Ingress,
  Job,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  ReplicaSet,
  ReplicationController,
  ResourceQuota,
  Service,
  ServiceAccount,
  StatefulSet,
];

/** Lists all objects of a namespace, as stored. */
export async function listObjects(client: Client, namespace: string): Promise<readonly StoredObject[]> {
  const lists = await Promise.all(
    KINDS.map(async (kind) => (await client.list(kind as never, { namespace })).items as unknown as StoredObject[]),
  );
  const own = await client.find(Namespace, { name: namespace });
  const volumes = (await client.list(PersistentVolume)).items.filter(({ spec }) => spec.claimRef?.namespace === namespace);
  return [...lists.flat(), ...((own === undefined ? [] : [own]) as unknown as StoredObject[]), ...(volumes as unknown as StoredObject[])];
}

/** The objects of a namespace as comparable text. */
export async function takeSnapshot(
  client: Client,
  namespace: string,
  { learn, mask }: ReturnType<typeof createMasker>,
): Promise<readonly string[]> {
  const found = await listObjects(client, namespace);
  learn(found);
  return found.map((object) => mask(JSON.stringify(toComparable(object), null, 1))).sort();
}

/** The distinct events of a namespace as comparable text. */
export async function listEvents(client: Client, namespace: string, { mask }: ReturnType<typeof createMasker>): Promise<readonly string[]> {
  const { items } = await client.list(Event, { namespace });
  return [...new Set(items.map((event) => mask(formatEvent(event))))].sort();
}

const TRIGGER_TIME = "endpoints.kubernetes.io/last-change-trigger-time";
const VOLATILE = new Set(["uid", "resourceVersion", "creationTimestamp", "selfLink"]);

function toComparable(object: StoredObject): JsonObject {
  const metadata: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(object.metadata)) if (!VOLATILE.has(field)) metadata[field] = value;
  const managers = (object.metadata.managedFields ?? []).map((m) => [m.manager, m.operation, m.subresource].filter(Boolean).join(" "));
  // kube-apiserver updates the status of quotas and budgets itself, without a field manager.
  metadata["managedFields"] = [...new Set(managers)].filter((manager) => manager !== "kube-apiserver Update status").sort();
  // Whether this annotation is set depends on how many changes a sync covers.
  if (object.metadata.annotations?.[TRIGGER_TIME] !== undefined) {
    const { [TRIGGER_TIME]: _, ...annotations } = object.metadata.annotations;
    if (Object.keys(annotations).length > 0) metadata["annotations"] = annotations;
    else delete metadata["annotations"];
  }
  const shown = { ...object, ...NORMALIZERS[object.kind]?.(object as never), metadata: { ...metadata, ...maskGeneration(object) } };
  const sorted = JSON.parse(canonicalJson(shown as unknown as JsonObject)) as JsonObject;
  return { kind: object.kind, name: object.metadata.name, ...sorted };
}

/** The generation of an EndpointSlice depends on how many changes a sync covers. */
const maskGeneration = ({ kind }: StoredObject) => (kind === "EndpointSlice" ? { generation: "<any>" } : {});

/** Normalizes unordered lists and cluster-specific values, by kind. */
const NORMALIZERS: Readonly<Record<string, (object: never) => object>> = {
  ConfigMap: ({ metadata, data }: ConfigMap) => (metadata.name === "kube-root-ca.crt" ? { data: Object.keys(data ?? {}) } : {}),
  EndpointSlice: ({ endpoints }: EndpointSlice) => ({
    endpoints: sortedBy(endpoints, ({ targetRef, addresses }) => targetRef?.name ?? addresses.join()),
  }),
  PersistentVolume: ({ spec }: PersistentVolume) => ({ spec: { ...spec, claimRef: { ...spec.claimRef, resourceVersion: "<any>" } } }),
  Endpoints: ({ subsets }: Endpoints) =>
    subsets === undefined
      ? {}
      : {
          subsets: subsets.map((subset) => ({
            ...subset,
            addresses: sortedBy(subset.addresses, ({ targetRef, ip }) => targetRef?.name ?? ip),
            notReadyAddresses: sortedBy(subset.notReadyAddresses, ({ targetRef, ip }) => targetRef?.name ?? ip),
            ports: sortedBy(subset.ports, ({ name = "" }) => name),
          })),
        },
};

function sortedBy<T>(list: readonly T[] | null | undefined, key: (item: T) => string): readonly T[] | null | undefined {
  return list && [...list].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

function formatEvent({ involvedObject, type, reason, message, source, reportingComponent, metadata }: Event): string {
  const by = metadata.managedFields?.[0]?.manager;
  return [involvedObject.kind, involvedObject.name, type, reason, message, `(${source?.component ?? reportingComponent}, ${by})`].join(" ");
}
