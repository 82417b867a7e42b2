import { type Cluster, startCluster } from "@pintle/cluster";
import {
  ClusterCatalogKind,
  ClusterExtensionKind,
  ClusterObjectSetKind,
  ExtensionPlanKind,
  ExtensionPolicyKind,
  type ImageSource,
  installLifecycleManager,
  startLifecycleManager,
} from "@pintle/lifecycle/manager";
import { type Client, createClient, type Transport, type TransportRequest } from "pintle/client";
import type { JsonObject } from "pintle/kinds";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { Deployment } from "pintle/kinds/apps/v1";
import { ConfigMap, Namespace, Secret, ServiceAccount } from "pintle/kinds/core/v1";
import { ClusterRole, ClusterRoleBinding } from "pintle/kinds/rbac/v1";
import { bundleImage, createBundle, createCatalog } from "./bundles.ts";
import { createImages } from "./world.ts";

/** At which writes the manager is killed: the number of writes that each of its processes sends. */
export interface CrashSchedule {
  readonly writesPerProcess: readonly number[];
}

/** What a run came to. */
export interface CrashRun {
  /** The objects at the end, without what differs from run to run. */
  readonly state: string;
  /** How many writes were sent. */
  readonly writes: number;
  /** The uids of the objects that were installed first and upgraded then. */
  readonly keptUids: boolean;
}

const isWrite = ({ method }: TransportRequest) => method !== "GET" && method !== "HEAD";

/**
 * A transport of a process that is killed after `limit` writes: the last one is executed, and its response never arrives. Nothing that the process does
 * after it reaches the API server. `onKill` is called at that moment.
 */
export function mortalTransport(transport: Transport, limit: number, onWrite: () => void, onKill: () => void): Transport {
  let sent = 0;
  const dead = () => new Promise<never>(() => {});
  return {
    ...transport,
    async request(request) {
      if (sent >= limit) return dead();
      if (!isWrite(request)) return transport.request(request);
      sent++;
      onWrite();
      const response = await transport.request(request);
      if (sent < limit) return response;
      onKill();
      return dead();
    },
    close: async () => {},
  };
}

/** Runs managers one after the other: each is killed after as many writes as the schedule says, and the last one is not. */
export function createMortalManagers(cluster: Cluster, images: ImageSource, { writesPerProcess }: CrashSchedule) {
  const limits = [...writesPerProcess];
  const stopped: Promise<void>[] = [];
  let [isOver, writes] = [false, 0];
  let current: ReturnType<typeof startLifecycleManager> | undefined;
  const startNext = () => {
    if (isOver) return;
    const onKill = () => {
      stopped.push(current!.stop());
      startNext();
    };
    const transport = mortalTransport(cluster.transport, limits.shift() ?? Number.POSITIVE_INFINITY, () => writes++, onKill);
    current = startLifecycleManager({ client: createClient(transport), images });
  };
  startNext();
  return {
    get writes() {
      return writes;
    },
    async stop() {
      isOver = true;
      await Promise.all([...stopped, current!.stop()]);
    },
  };
}

/** Installs 1.0.0, upgrades to 1.0.1, and kills the manager on the way; a new one follows each time. */
export async function runWithCrashes({ writesPerProcess }: CrashSchedule): Promise<CrashRun> {
  await using cluster = await startCluster();
  const client = cluster.client();
  await installLifecycleManager(client);
  await client.create(Namespace, { metadata: { name: "ops" } });
  const images = createImages();
  images.bundles.set(bundleImage("1.0.0"), createBundle("1.0.0", { configMaps: ["op-config", "op-old"] }));
  images.bundles.set(bundleImage("1.0.1"), createBundle("1.0.1"));
  images.catalogs.set("example.com/main:latest", createCatalog([{ version: "1.0.0" }, { version: "1.0.1", replaces: "1.0.0" }]));
  await client.create(ClusterCatalogKind, {
    metadata: { name: "main" },
    spec: { source: { type: "Image", image: { ref: "example.com/main:latest" } } },
  });
  await client.create(ClusterExtensionKind, {
    metadata: { name: "op" },
    spec: { namespace: "ops", source: { sourceType: "Catalog", catalog: { packageName: "test", version: "1.0.0" } } },
  });
  const managers = createMortalManagers(cluster, images.source, { writesPerProcess });
  await waitForVersion(client, "1.0.0");
  const uids = await readUids(client);
  await client.patch(ClusterExtensionKind, { name: "op" }, { merge: { spec: { source: { catalog: { version: "1.0.1" } } } } });
  await waitForVersion(client, "1.0.1");
  await client.waitFor(ClusterObjectSetKind, { name: "op-1" }, ({ metadata }) => metadata.finalizers === undefined, { timeout: 60_000 });
  const after = await readUids(client);
  const state = await readState(client);
  await managers.stop();
  return {
    state,
    writes: managers.writes,
    keptUids: [...uids].every(([key, uid]) => after.get(key) === undefined || after.get(key) === uid),
  };
}

async function waitForVersion(client: Client, version: string): Promise<void> {
  await client.waitFor(
    ClusterExtensionKind,
    { name: "op" },
    ({ status }) =>
      status?.install?.bundle.version === version &&
      status.activeRevisions?.length === 1 &&
      (status.conditions ?? []).some(({ type, reason }) => type === "Progressing" && reason === "Succeeded"),
    { timeout: 60_000 },
  );
}

/**
 * Installs 1.0.0, upgrades to 1.0.1, which never becomes available, and waits until the policy has gone back; the manager is killed on the way. The state at the
 * end is without the texts of conditions, which say how far the failed revision had come.
 */
export async function rollBackWithCrashes(schedule: CrashSchedule): Promise<CrashRun> {
  await using cluster = await startCluster();
  const client = cluster.client();
  await installLifecycleManager(client);
  await client.create(Namespace, { metadata: { name: "ops" } });
  const images = createImages();
  const fields = { color: { type: "string" } };
  images.bundles.set(bundleImage("1.0.0"), createBundle("1.0.0", { configMaps: ["op-config", "op-old"] }));
  images.bundles.set(bundleImage("1.0.1"), createBundle("1.0.1", { configMaps: ["op-config", "op-new"], fields, isUnschedulable: true }));
  images.catalogs.set("example.com/main:latest", createCatalog([{ version: "1.0.0" }, { version: "1.0.1", replaces: "1.0.0" }]));
  await client.create(ExtensionPolicyKind, {
    metadata: { name: "op" },
    spec: { extensionName: "op", rights: "Derived", onFailure: { action: "RollBack", after: "1s" } },
  });
  await client.create(ClusterCatalogKind, {
    metadata: { name: "main" },
    spec: { source: { type: "Image", image: { ref: "example.com/main:latest" } } },
  });
  await client.create(ClusterExtensionKind, {
    metadata: { name: "op" },
    spec: { namespace: "ops", source: { sourceType: "Catalog", catalog: { packageName: "test", version: "1.0.0" } } },
  });
  const managers = createMortalManagers(cluster, images.source, schedule);
  await waitForVersion(client, "1.0.0");
  const uids = await readUids(client);
  await client.patch(ClusterExtensionKind, { name: "op" }, { merge: { spec: { source: { catalog: { version: "1.0.1" } } } } });
  await approvePlan(client, "op-1.0.1");
  const find = (type: string, of: readonly { readonly type: string; readonly reason: string }[] = []) =>
    of.find((each) => each.type === type);
  await client.waitFor(
    ClusterExtensionKind,
    { name: "op" },
    ({ status }) => find("Progressing", status?.conditions)?.reason === "RolledBack" && status?.activeRevisions?.length === 1,
    { timeout: 60_000 },
  );
  await client.waitForDeletion(ConfigMap, { namespace: "ops", name: "op-new" }, { timeout: 60_000 });
  for (const name of ["op-1", "op-2"]) {
    await client.waitFor(ClusterObjectSetKind, { name }, ({ metadata }) => metadata.finalizers === undefined, { timeout: 60_000 });
  }
  const after = await readUids(client);
  const state = JSON.parse(await readState(client)) as { readonly objects: object[]; conditions?: readonly string[] };
  const conditions = state.conditions?.map((each) => each.split(" ").slice(0, 2).join(" "));
  await managers.stop();
  const text = JSON.stringify({ ...state, conditions }, undefined, 1).replaceAll(
    /"lifecycle\.pintle\.dev\/(rolled-back|proven)": ".*"/g,
    '"$1": ""',
  );
  return {
    state: text,
    writes: managers.writes,
    keptUids: [...uids].every(([key, uid]) => after.get(key) === undefined || after.get(key) === uid),
  };
}

/** The failed version needs more rights: its plan is approved as an administrator would. */
async function approvePlan(client: Client, name: string): Promise<void> {
  await client.waitFor(
    ClusterExtensionKind,
    { name: "op" },
    ({ status }) => (status?.conditions ?? []).some(({ reason }) => reason === "WaitingForRights"),
    { timeout: 60_000 },
  );
  const { spec } = await client.get(ExtensionPlanKind, { name });
  await client.patch(ExtensionPolicyKind, { name: "op" }, { merge: { spec: { approved: [spec.digest] } } });
}

const OWNER = { labels: { "olm.operatorframework.io/owner-name": "op" } };
const KINDS = [
  CustomResourceDefinition,
  ClusterRole,
  ClusterRoleBinding,
  Deployment,
  ConfigMap,
  ServiceAccount,
  Secret,
  ClusterObjectSetKind,
];

interface AnyObject {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly labels?: object;
    readonly annotations?: object;
    readonly finalizers?: readonly string[];
    readonly ownerReferences?: readonly { readonly kind: string; readonly name: string; readonly controller?: boolean }[];
    readonly managedFields?: readonly { readonly manager: string; readonly operation: string; readonly subresource?: string }[];
  };
  readonly [field: string]: unknown;
}

async function listObjects(client: Client): Promise<AnyObject[]> {
  const lists = await Promise.all(KINDS.map((kind) => client.list(kind as typeof ConfigMap, OWNER)));
  return lists.flatMap(({ items }) => items as unknown as AnyObject[]);
}

async function readUids(client: Client): Promise<Map<string, string>> {
  const objects = (await listObjects(client)).filter(({ kind }) => kind !== "Secret" && kind !== "ClusterObjectSet");
  return new Map(objects.map(({ kind, metadata }) => [`${kind}/${metadata.name}`, metadata.uid]));
}

/** Names, spec, labels, owners and field managers of everything that belongs to the extension, and its status. */
async function readState(client: Client): Promise<string> {
  const objects = (await listObjects(client)).map(({ kind, metadata, status: _, ...rest }) => ({
    kind,
    name: metadata.name,
    labels: metadata.labels,
    annotations: metadata.annotations,
    finalizers: metadata.finalizers,
    owners: metadata.ownerReferences?.map(({ kind: owner, name, controller }) => [owner, name, controller]),
    managers: [
      ...new Set(
        metadata.managedFields?.filter(({ subresource }) => subresource === undefined).map((each) => `${each.manager} ${each.operation}`),
      ),
    ].sort(),
    rest: withoutVersions(rest as JsonObject),
  }));
  const { status } = await client.get(ClusterExtensionKind, { name: "op" });
  const conditions = status?.conditions?.map(({ type, status: is, reason, message }) => `${type}=${is} ${reason} ${message}`).sort();
  return JSON.stringify({ objects, install: status?.install, active: status?.activeRevisions, conditions }, undefined, 1);
}

/** Deployments count how often they were changed. */
function withoutVersions({ apiVersion: _, ...rest }: JsonObject): JsonObject {
  return rest;
}
