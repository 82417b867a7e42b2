import { type Cluster, startCluster } from "@pintle/cluster";
import type { BundleFiles } from "@pintle/lifecycle";
import {
  ClusterCatalogKind,
  type ClusterExtension,
  ClusterExtensionKind,
  type ClusterExtensionStatus,
  ClusterObjectSetKind,
  ExtensionPlanKind,
  ExtensionPolicyKind,
  type ImageSource,
  installLifecycleManager,
  startLifecycleManager,
} from "@pintle/lifecycle/manager";
import { type Client, createClient, type Transport, type TransportRequest } from "pintle/client";
import { seededRandom } from "pintle/internal/clock";
import { isJsonEqual } from "pintle/internal/merge";
import type { JsonObject } from "pintle/kinds";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { Deployment } from "pintle/kinds/apps/v1";
import { ConfigMap, Namespace, Secret, ServiceAccount } from "pintle/kinds/core/v1";
import { ClusterRole, ClusterRoleBinding } from "pintle/kinds/rbac/v1";
import { expect } from "vitest";
import { bundleImage, type CatalogVersion, createBundle, createCatalog } from "./bundles.ts";
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
  /** How many managers were killed. */
  readonly kills: number;
  /** What the user made, and what was installed first and upgraded then, are the same objects; a failing upgrade took no pod of the old version away. */
  readonly keptUids: boolean;
  /** After a failed upgrade: milliseconds from its approval until the old version is back. */
  readonly takenBackAfterMs?: number;
}

const WAIT = { timeout: 120_000 };
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

/** Managers of one cluster that run one after the other. */
export interface MortalManagers {
  /** How many writes they have sent. */
  readonly writes: number;
  /** How many of them were killed. */
  readonly kills: number;
  stop(): Promise<void>;
}

/** Where managers that are killed run, and where their images come from. */
export interface CrashGround {
  /** Publishes bundles, and a catalog of them. Returns the reference of the catalog. */
  publish(name: string, bundles: ReadonlyMap<string, BundleFiles>, versions: readonly CatalogVersion[]): Promise<string>;
  /** Starts managers: each is killed after as many writes as the schedule says, and the last one is not. */
  startManagers(cluster: Cluster, schedule: CrashSchedule): MortalManagers;
}

/** Managers in this process, with images in memory. */
export function createInProcessGround(): CrashGround {
  const images = createImages();
  return {
    async publish(name, bundles, versions) {
      const catalog = `example.com/${name}:latest`;
      for (const [version, files] of bundles) images.bundles.set(bundleImage(version), files);
      images.catalogs.set(catalog, createCatalog(versions));
      return catalog;
    },
    startManagers: (cluster, schedule) => startInProcess(cluster, images.source, schedule),
  };
}

function startInProcess(cluster: Cluster, images: ImageSource, { writesPerProcess }: CrashSchedule): MortalManagers {
  const limits = [...writesPerProcess];
  const stopped: Promise<void>[] = [];
  let [isOver, writes, kills] = [false, 0, 0];
  let current: ReturnType<typeof startLifecycleManager> | undefined;
  const startNext = () => {
    if (isOver) return;
    const onKill = () => {
      kills++;
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
    get kills() {
      return kills;
    },
    async stop() {
      isOver = true;
      await Promise.all([...stopped, current!.stop()]);
    },
  };
}

const VERSIONS: readonly CatalogVersion[] = [{ version: "1.0.0" }, { version: "1.0.1", replaces: "1.0.0" }];

/** Starts a cluster with a user's object of the operator's kind, once it is installed. */
async function startInstallation(ground: CrashGround, schedule: CrashSchedule, catalog: string, policy?: object) {
  const cluster = await startCluster();
  const client = cluster.client();
  await installLifecycleManager(client);
  await client.create(Namespace, { metadata: { name: "ops" } });
  if (policy !== undefined)
    await client.create(ExtensionPolicyKind, { metadata: { name: "op" }, spec: { extensionName: "op", ...policy } });
  await client.create(ClusterCatalogKind, { metadata: { name: "main" }, spec: { source: { type: "Image", image: { ref: catalog } } } });
  await client.create(ClusterExtensionKind, {
    metadata: { name: "op" },
    spec: { namespace: "ops", source: { sourceType: "Catalog", catalog: { packageName: "test", version: "1.0.0" } } },
  });
  const managers = ground.startManagers(cluster, schedule);
  await waitForVersion(client, "1.0.0");
  const kind = await client.discoverKind("example.com/v1", "Op");
  const created = await client.create(kind, { metadata: { name: "precious", namespace: "ops" }, spec: { size: 7 } } as never);
  const uids = await readUids(client);
  /** Whether what the user made, and what was installed first and is still there, are the same objects. */
  const keepsUids = async () => {
    const [after, precious] = await Promise.all([readUids(client), client.get(kind, { name: "precious", namespace: "ops" } as never)]);
    const isKept = precious.metadata.uid === created.metadata.uid && isJsonEqual(precious as JsonObject, created as JsonObject);
    return isKept && [...uids].every(([key, uid]) => after.get(key) === undefined || after.get(key) === uid);
  };
  await client.patch(ClusterExtensionKind, { name: "op" }, { merge: { spec: { source: { catalog: { version: "1.0.1" } } } } });
  return { cluster, client, managers, keepsUids };
}

/** Installs 1.0.0, upgrades to 1.0.1, and kills the manager on the way; a new one follows each time. */
export async function runWithCrashes(ground: CrashGround, schedule: CrashSchedule): Promise<CrashRun> {
  const bundles = new Map([
    ["1.0.0", createBundle("1.0.0", { configMaps: ["op-config", "op-old"] })],
    ["1.0.1", createBundle("1.0.1")],
  ]);
  const catalog = await ground.publish("upgrade", bundles, VERSIONS);
  const { cluster, client, managers, keepsUids } = await startInstallation(ground, schedule, catalog);
  await using _ = cluster;
  await waitForVersion(client, "1.0.1");
  await client.waitFor(ClusterObjectSetKind, { name: "op-1" }, ({ metadata }) => metadata.finalizers === undefined, WAIT);
  const run = { state: await readSettledState(client), keptUids: await keepsUids() };
  await managers.stop();
  return { ...run, writes: managers.writes, kills: managers.kills };
}

/** How long a revision that does not roll out is given. */
const ROLL_BACK_AFTER = "1s";

/**
 * Installs 1.0.0, upgrades to 1.0.1, which never becomes available, and waits until the policy has gone back; the manager is killed on the way. The state at the
 * end is without the texts of conditions, which say how far the failed revision had come.
 */
export async function rollBackWithCrashes(ground: CrashGround, schedule: CrashSchedule): Promise<CrashRun> {
  const fields = { color: { type: "string" } };
  const bundles = new Map([
    ["1.0.0", createBundle("1.0.0", { configMaps: ["op-config", "op-old"] })],
    ["1.0.1", createBundle("1.0.1", { configMaps: ["op-config", "op-new"], fields, isUnschedulable: true })],
  ]);
  const catalog = await ground.publish("failing", bundles, VERSIONS);
  const policy = { rights: "Derived", onFailure: { action: "RollBack", after: ROLL_BACK_AFTER } };
  const { cluster, client, managers, keepsUids } = await startInstallation(ground, schedule, catalog, policy);
  await using _ = cluster;
  await approvePlan(client, "op-1.0.1");
  const started = performance.now();
  const stopObserving = observeDeployment(client);
  const find = (type: string, of: readonly { readonly type: string; readonly reason: string }[] = []) =>
    of.find((each) => each.type === type);
  await client.waitFor(
    ClusterExtensionKind,
    { name: "op" },
    ({ status }) =>
      find("Progressing", status?.conditions)?.reason === "RolledBack" &&
      find("Available", status?.conditions)?.reason === "ProbesSucceeded" &&
      status?.activeRevisions?.length === 1,
    WAIT,
  );
  const takenBackAfterMs = performance.now() - started;
  const isServedThroughout = (await stopObserving()) && isServingOldVersion(await client.get(Deployment, MANAGER));
  await client.waitForDeletion(ConfigMap, { namespace: "ops", name: "op-new" }, WAIT);
  for (const name of ["op-1", "op-2"]) {
    await client.waitFor(ClusterObjectSetKind, { name }, ({ metadata }) => metadata.finalizers === undefined, WAIT);
  }
  const keptUids = await keepsUids();
  const state = JSON.parse(await readSettledState(client)) as { readonly objects: object[]; conditions?: readonly string[] };
  const conditions = state.conditions?.map((each) => each.split(" ").slice(0, 2).join(" "));
  await managers.stop();
  const text = JSON.stringify({ ...state, conditions }, undefined, 1).replaceAll(
    /"lifecycle\.pintle\.dev\/(rolled-back|proven)": ".*"/g,
    '"$1": ""',
  );
  return { state: text, writes: managers.writes, kills: managers.kills, keptUids: keptUids && isServedThroughout, takenBackAfterMs };
}

const MANAGER = { namespace: "ops", name: "op-manager" };
const isServingOldVersion = ({ spec, status }: Deployment) =>
  spec.template.spec?.containers[0]?.image === "example.com/op:1.0.0" && (status?.availableReplicas ?? 0) > 0;

/** Observes the operator from now on. The function that it returns ends that, and says whether a pod was available all the time. */
function observeDeployment(client: Client): () => Promise<boolean> {
  const over = new AbortController();
  let wasAvailable = true;
  const observe = ({ status }: Deployment) => {
    wasAvailable &&= (status?.availableReplicas ?? 0) > 0;
    return false;
  };
  const observed = client.waitFor(Deployment, MANAGER, observe, { signal: over.signal }).catch((error: unknown) => {
    if (!over.signal.aborted) throw error;
  });
  return async () => {
    over.abort();
    await observed;
    return wasAvailable;
  };
}

async function waitForVersion(client: Client, version: string): Promise<void> {
  let last: ClusterExtensionStatus | undefined;
  const isThere = ({ status }: ClusterExtension) => {
    last = status;
    const isDone = (status?.conditions ?? []).some(({ type, reason }) => type === "Progressing" && reason === "Succeeded");
    return isDone && status?.install?.bundle.version === version && status.activeRevisions?.length === 1;
  };
  await client.waitFor(ClusterExtensionKind, { name: "op" }, isThere, WAIT).catch((error: unknown) => {
    throw new Error(`${String(error)}; last status: ${JSON.stringify(last)}`, { cause: error });
  });
}

/** The failed version needs more rights: its plan is approved as an administrator would. */
async function approvePlan(client: Client, name: string): Promise<void> {
  await client.waitFor(
    ClusterExtensionKind,
    { name: "op" },
    ({ status }) => (status?.conditions ?? []).some(({ reason }) => reason === "WaitingForRights"),
    WAIT,
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
    readonly annotations?: Readonly<Record<string, string>>;
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

/** The state once the objects are available: while old revisions are torn down, the newest may have to try again. */
async function readSettledState(client: Client): Promise<string> {
  for (;;) {
    const isAvailable = ({ status }: ClusterExtension) => (status?.conditions ?? []).some(({ reason }) => reason === "ProbesSucceeded");
    await client.waitFor(ClusterExtensionKind, { name: "op" }, isAvailable, WAIT);
    const state = await readState(client);
    if (state.includes("Available=True ProbesSucceeded")) return state;
  }
}

/** Names, spec, labels, owners and field managers of everything that belongs to the extension, and its status. */
async function readState(client: Client): Promise<string> {
  const objects = (await listObjects(client)).map(({ kind, metadata, status: _, ...rest }) => ({
    kind,
    name: metadata.name,
    labels: metadata.labels,
    annotations: withoutRolloutCount(metadata.annotations),
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

/** The controller of Deployments counts the templates that it has seen, which depends on its speed. */
function withoutRolloutCount({ "deployment.kubernetes.io/revision": _, ...rest }: Readonly<Record<string, string>> = {}) {
  return rest;
}

function withoutVersions({ apiVersion: _, ...rest }: JsonObject): JsonObject {
  return rest;
}

/** What many schedules came to. */
export interface CrashSummary {
  readonly undisturbed: CrashRun;
  readonly kills: number;
  /** For failed upgrades: milliseconds until the old version was back, by schedule. */
  readonly takenBackAfterMs: readonly number[];
}

/** Runs schedules that follow from seeds, several at a time. Fails with the seed for the first that leaves another state than a run without kills. */
export async function expectSameStates(
  ground: CrashGround,
  run: (ground: CrashGround, schedule: CrashSchedule) => Promise<CrashRun>,
  seeds: readonly number[],
  concurrency = 1,
): Promise<CrashSummary> {
  const undisturbed = await run(ground, { writesPerProcess: [] });
  let kills = 0;
  const takenBackAfterMs: number[] = [];
  const waiting = [...seeds];
  const runSchedules = async () => {
    for (let seed = waiting.shift(); seed !== undefined; seed = waiting.shift()) {
      const random = seededRandom(seed);
      const writesPerProcess = Array.from({ length: 1 + Math.floor(random() * 8) }, () => 1 + Math.floor(random() * 20));
      const schedule = `seed ${seed}, killed after ${writesPerProcess} writes`;
      const outcome = await run(ground, { writesPerProcess }).catch((error: unknown) => {
        throw new Error(`${schedule}: ${String(error)}`, { cause: error });
      });
      expect(outcome.state, schedule).toBe(undisturbed.state);
      expect(outcome.keptUids, schedule).toBe(true);
      kills += outcome.kills;
      if (outcome.takenBackAfterMs !== undefined) takenBackAfterMs.push(outcome.takenBackAfterMs);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, runSchedules));
  return { undisturbed, kills, takenBackAfterMs };
}
