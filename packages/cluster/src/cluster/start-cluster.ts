import { createClient } from "pintle/client";
import { seededRandom, virtualClock } from "pintle/internal/clock";
import { PintleError } from "pintle/internal/errors";
import { writePrivateFile } from "pintle/internal/private-file";
import type { KindInfo } from "pintle/kinds";
import { ADMIN } from "../api/index.ts";
import { createBootstrapObjects, publishServerObjects } from "../bootstrap/index.ts";
import { getFirstAddress } from "../builtin/index.ts";
import { type ProcessHost, type ProcessNodesOptions, prepareProcessHost } from "../node/index.ts";
import { createMemoryStore, openStore } from "../store/index.ts";
import { advanceClock, isVirtualClock, type SettledOptions, settled } from "../testing/index.ts";
import { collectStoreTrace, writeTrace } from "../trace/index.ts";
import { blameFields } from "./blame-fields.ts";
import type { Cluster, ClusterServer } from "./cluster.ts";
import type { ClusterOptions, ClusterSnapshot } from "./cluster-options.ts";
import { type ClusterParts, type ClusterServices, createClusterServices } from "./cluster-services.ts";
import { loadCredentials } from "./credentials.ts";
import { type Listeners, openListeners } from "./listeners.ts";
import { createPastCluster } from "./past-cluster.ts";
import { explainObject, notRecorded } from "./why.ts";

type ForkOptions = Omit<ClusterOptions, "from" | "store">;

/** Gives the caller time to write a kubeconfig before controllers take the CPU. */
const CONTROL_PLANE_START_DELAY_MS = 10;

/**
 * Starts a Kubernetes control plane in this process: an API server, controllers, a scheduler and nodes, with nothing to install. Resolves
 * when the API server responds; `cluster.ready` resolves when the controllers run. Rejects with a `PintleError` when the store cannot be
 * opened or a port is in use.
 *
 * @example
 * ```ts
 * import { startCluster } from "@pintle/cluster";
 * import { Namespace } from "pintle/kinds/core/v1";
 *
 * const cluster = await startCluster();
 * const { items } = await cluster.client().list(Namespace);
 * console.log(items.map(({ metadata }) => metadata.name));
 * await cluster.stop();
 * ```
 */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  if (typeof options.nodes !== "object") return openCluster(undefined, options);
  const host = await prepareProcessHost(addPrivatePaths(options.nodes, options.store));
  try {
    return await openCluster(host, withProcessNodes(options, host));
  } catch (error) {
    await host.close();
    throw error;
  }
}

/** Pods must not read the keys and the objects of their cluster. */
function addPrivatePaths(nodes: ProcessNodesOptions, store: ClusterOptions["store"]): ProcessNodesOptions {
  const folder = typeof store === "object" && "file" in store ? [store.file] : [];
  return { ...nodes, privatePaths: [...(nodes.privatePaths ?? []), ...folder] };
}

/** Pods that are processes must reach the server, and Services need addresses that processes can reach. */
function withProcessNodes(options: ClusterOptions, { addressRanges }: ProcessHost): ClusterOptions {
  const { http, services } = options;
  const https = typeof http === "object" ? http : typeof http === "number" ? { port: http } : {};
  return {
    ...options,
    http: { advertise: "127.0.0.1", ...https },
    services: { ...services, clusterIps: `${addressRanges.services}.0.0/16` },
  };
}

/** Opens the store and creates the cluster on it; closes what was opened if that fails. */
async function openCluster(host: ProcessHost | undefined, options: ClusterOptions): Promise<Cluster> {
  const { store: backend = "memory", from } = options;
  const closeHost = async () => host?.close();
  if (from !== undefined) {
    if (options.store !== undefined) {
      throw new PintleError("PINTLE6500", "startCluster: a cluster that starts from a snapshot is in memory: omit `store` or `from`");
    }
    return createCluster({ opened: { store: createMemoryStore({ from: from.objects }) }, options, host, close: closeHost });
  }
  if (typeof backend === "object" && "txn" in backend)
    return createCluster({ opened: { store: backend }, options, host, close: closeHost });
  const opened = await openStore(backend);
  try {
    const close = async () => {
      await opened.store.close();
      await closeHost();
    };
    return await createCluster({ opened, options, host, close });
  } catch (error) {
    await opened.store.close();
    throw error;
  }
}

/** Starts the API server, its listeners and the control plane on an open store. */
async function createCluster(parts: ClusterParts): Promise<Cluster> {
  const { opened, options } = parts;
  const credentials = options.from?.credentials ?? (await loadCredentials(opened, options.authority));
  const services = await createClusterServices(parts, credentials);
  const listeners = await startServing(services);
  return exposeCluster(services, listeners, parts.close);
}

/** Creates the objects of a new cluster, opens the listeners and starts the servers. Those of a fork start with the first request. */
async function startServing({
  options,
  store,
  clock,
  random,
  credentials,
  interceptor,
  apiServer,
  controlPlane,
  address,
}: ClusterServices) {
  const isNew = options.from === undefined;
  const range = options.services?.clusterIps;
  const bootstrapParameters = {
    now: clock.now(),
    random,
    services: range === undefined ? undefined : { range, first: getFirstAddress(range) },
  };
  if (isNew) await createBootstrapObjects(store, bootstrapParameters);
  const tokens = { authenticate: async (token: string) => (await apiServer.start()).tokens.authenticate(token) };
  const listeners = await openListeners({ server: interceptor, tokens, store, authority: credentials.authority, options });
  address.url = listeners.url;
  if (isNew || listeners.url !== "") await publishServerObjects(store, { ...bootstrapParameters, ...listeners.published });
  if (isNew) {
    await apiServer.start();
    // A caller that waits for the address need not wait for the controllers. With a given clock or random source the order is fixed.
    const isDelayed = listeners.url !== "" && options.clock === undefined && options.random === undefined;
    if (isDelayed) setTimeout(controlPlane.start, CONTROL_PLANE_START_DELAY_MS).unref();
    else controlPlane.start();
  }
  return listeners;
}

/** Builds what the caller of `startCluster` gets. */
function exposeCluster(services: ClusterServices, listeners: Listeners, close: () => Promise<void>): Cluster {
  const { options, store, clock, randoms, credentials, routes, activity, transports, controlPlane } = services;
  const trackWork = activity.beginWork;
  const settle = async (settledOptions?: SettledOptions) => {
    controlPlane.start();
    await controlPlane.ready();
    await settled({ activity }, clock, settledOptions);
  };
  const { commitTimes, recorder, secrets } = services;
  const snapshotAt = (revision?: number): ClusterSnapshot => {
    const at = revision === undefined ? undefined : commitTimes.timeOf(revision);
    return { at: at ?? clock.now(), objects: store.snapshot(revision), credentials, routes, commitTimes, recorder };
  };
  const fork = (from: ClusterSnapshot, changed: ForkOptions): Promise<Cluster> => {
    const seed = randoms.nextClientSeed();
    return startCluster({
      ...getForkOptions(options),
      ...(isVirtualClock(clock) ? { clock: virtualClock(from.at) } : {}),
      ...(options.random === undefined ? {} : { random: seededRandom(seed) }),
      ...changed,
      from,
    });
  };
  const startRevision = store.currentRevision();
  const startSequence = recorder === undefined ? 0 : (options.from?.recorder?.sequence ?? 0);
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= stopCluster(services, listeners, close);
    return stopped;
  };
  return {
    url: listeners.url,
    plainUrl: listeners.plainUrl,
    kubeconfig: listeners.kubeconfig,
    transport: transports.create({ trackWork }),
    transportAs: (user) => transports.create({ user, trackWork }),
    client: ({ user = ADMIN, ...clientOptions } = {}) =>
      createClient(transports.create({ user, trackWork }), { random: seededRandom(randoms.nextClientSeed()), ...clientOptions }),
    async writeKubeconfig(path) {
      // Contains the administrator's key.
      writePrivateFile(path, listeners.kubeconfig);
    },
    clock,
    server: exposeServer(services),
    get ready() {
      controlPlane.start();
      return controlPlane.ready();
    },
    get nodes() {
      controlPlane.start();
      return controlPlane.nodes();
    },
    nodeStreams: services.nodeStreams,
    journal: services.auditLog,
    faults: services.faults,
    routeService: routes.add,
    settled: settle,
    advance: (ms) => advanceClock(clock, ms, settle),
    snapshot: () => snapshotAt(),
    at: (revision) => createPastCluster({ snapshotAt, timeOf: commitTimes.timeOf, currentRevision: store.currentRevision, fork }, revision),
    async blame(kind, object) {
      return blameFields(await findKey(services, kind, object), store.snapshot(), commitTimes.timeOf);
    },
    async why(kind, object, whyOptions = {}) {
      const key = await findKey(services, kind, object);
      const snapshot = store.snapshot();
      return explainObject(key, whyOptions, { recorder, secrets, snapshot, blame: () => blameFields(key, snapshot, commitTimes.timeOf) });
    },
    async writeTrace(file, about = { source: "cluster" }) {
      if (recorder === undefined || secrets === undefined) throw notRecorded("cluster.writeTrace");
      const end = store.snapshot();
      const start = store.snapshot(Math.max(startRevision, end.oldestRevision));
      const { timeOf } = commitTimes;
      await writeTrace(file, collectStoreTrace({ recorder, secrets, start, end, time: clock.now(), timeOf, about, since: startSequence }));
    },
    recorder,
    fork: (changed = {}) => fork(snapshotAt(), changed),
    restart: ({ history = true } = {}) => restartCluster(services, listeners, history),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** Returns the key in the store. Throws `PintleError` if the kind is not served. */
async function findKey(
  { apiServer }: ClusterServices,
  { group, version, plural, kind }: KindInfo,
  { namespace, name }: { readonly namespace?: string | undefined; readonly name: string },
): Promise<string> {
  const resource = (await apiServer.start()).server.registry.find(group, version, plural);
  if (resource === undefined) throw new PintleError("PINTLE6507", `the cluster does not serve ${kind} of ${group || "core"}/${version}`);
  return [resource.storage.prefix, ...(namespace === undefined ? [] : [namespace]), name].join("/");
}

/** Stops from the outside in: control plane, API server, transports and listeners, store. */
async function stopCluster(
  { controlPlane, interceptor, apiServer, transports, auditor }: ClusterServices,
  listeners: Listeners,
  close: () => Promise<void>,
): Promise<void> {
  controlPlane.disable();
  interceptor.releaseDelays();
  await controlPlane.stop();
  await apiServer.stop();
  await transports.close();
  await listeners.close();
  await auditor?.close();
  await close();
}

/** Restarts the API server and the control plane on the same store and port; without `history`, watches cannot resume. */
async function restartCluster(
  { controlPlane, interceptor, apiServer, store }: ClusterServices,
  listeners: Listeners,
  history: boolean,
): Promise<void> {
  const wasStarted = controlPlane.isStarted();
  await controlPlane.stop();
  await apiServer.stop();
  interceptor.abortAll();
  if (!history) await store.compact(store.currentRevision());
  await apiServer.restart();
  await listeners.reopen();
  if (wasStarted) controlPlane.start();
}

function exposeServer({ interceptor, store, apiServer }: ClusterServices): ClusterServer {
  return {
    handle: interceptor.handle,
    store,
    get registry() {
      if (apiServer.running !== undefined) return apiServer.running.server.registry;
      throw new PintleError("PINTLE6501", "the API server of a fork starts with the first request: send one before reading the registry");
    },
  };
}

/** A fork is in-process, and processes cannot be forked: it has no nodes in their place. */
function getForkOptions({
  http: _http,
  plainHttp: _plainHttp,
  store: _store,
  audit: _audit,
  nodes,
  ...others
}: ClusterOptions): ClusterOptions {
  return { ...others, nodes: typeof nodes === "object" ? 0 : nodes };
}
