import type { Client } from "pintle/client";
import type { JsonObject, KindFacts, Metadata } from "pintle/kinds";
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
  ResourceQuota,
  Service,
  ServiceAccount,
} from "pintle/kinds/core/v1";
import { EndpointSlice } from "pintle/kinds/discovery/v1";
import { Ingress } from "pintle/kinds/networking/v1";
import { PodDisruptionBudget } from "pintle/kinds/policy/v1";
import { canonical } from "pintle/merge";
import type { masker } from "./mask.ts";

type Found = JsonObject & { readonly metadata: Metadata; readonly kind: string };

const KINDS: readonly KindFacts[] = [
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
  ResourceQuota,
  Service,
  ServiceAccount,
  StatefulSet,
];

/** Everything in a namespace, as stored. */
export async function everything(client: Client, namespace: string): Promise<readonly Found[]> {
  const lists = await Promise.all(KINDS.map(async (kind) => (await client.list(kind as never, { namespace })).items as unknown as Found[]));
  const own = await client.find(Namespace, { name: namespace });
  const volumes = (await client.list(PersistentVolume)).items.filter(({ spec }) => spec.claimRef?.namespace === namespace);
  return [...lists.flat(), ...((own === undefined ? [] : [own]) as unknown as Found[]), ...(volumes as unknown as Found[])];
}

/** The same, as it is on any cluster. */
export async function snapshot(client: Client, namespace: string, { learn, mask }: ReturnType<typeof masker>): Promise<readonly string[]> {
  const found = await everything(client, namespace);
  learn(found);
  return found.map((object) => mask(JSON.stringify(comparable(object), null, 1))).sort();
}

/** What was said in a namespace, each thing once. */
export async function eventsIn(client: Client, namespace: string, { mask }: ReturnType<typeof masker>): Promise<readonly string[]> {
  const { items } = await client.list(Event, { namespace });
  return [...new Set(items.map((event) => mask(said(event))))].sort();
}

const TRIGGER_TIME = "endpoints.kubernetes.io/last-change-trigger-time";
const VOLATILE = new Set(["uid", "resourceVersion", "creationTimestamp", "selfLink"]);

function comparable(object: Found): JsonObject {
  const metadata: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(object.metadata)) if (!VOLATILE.has(field)) metadata[field] = value;
  const managers = (object.metadata.managedFields ?? []).map((m) => [m.manager, m.operation, m.subresource].filter(Boolean).join(" "));
  // What the server itself counts down (quotas, budgets) it writes here without a name of its own.
  metadata["managedFields"] = [...new Set(managers)].filter((manager) => manager !== "kube-apiserver Update status").sort();
  // Whether a change was the first since the last look depends on who was quicker.
  if (object.metadata.annotations?.[TRIGGER_TIME] !== undefined) {
    const { [TRIGGER_TIME]: _, ...annotations } = object.metadata.annotations;
    if (Object.keys(annotations).length > 0) metadata["annotations"] = annotations;
    else delete metadata["annotations"];
  }
  const shown = { ...object, ...steady[object.kind]?.(object as never), metadata: { ...metadata, ...unordered(object) } };
  const sorted = JSON.parse(canonical(shown as unknown as JsonObject)) as JsonObject;
  return { kind: object.kind, name: object.metadata.name, ...sorted };
}

/** How often a slice was written depends on how many changes were seen together. */
const unordered = ({ kind }: Found) => (kind === "EndpointSlice" ? { generation: "<any>" } : {});

/** What a real controller keeps in no particular order, or what no two clusters have alike, by kind. */
const steady: Readonly<Record<string, (object: never) => object>> = {
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

function said({ involvedObject, type, reason, message, source, reportingComponent, metadata }: Event): string {
  const by = metadata.managedFields?.[0]?.manager;
  return [involvedObject.kind, involvedObject.name, type, reason, message, `(${source?.component ?? reportingComponent}, ${by})`].join(" ");
}
