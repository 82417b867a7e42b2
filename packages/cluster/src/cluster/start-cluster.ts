import { createClient, type Transport } from "pintle/client";
import { backgroundClock, type Random, seededRandom, virtualClock } from "pintle/internal/clock";
import { PintleError } from "pintle/internal/errors";
import { writePrivateFile } from "pintle/internal/private-file";
import { createServiceRoutes } from "../admission/index.ts";
import {
  ADMIN,
  type ApiServer,
  AUTHENTICATED,
  createInProcessTransport,
  DEFAULT_HTTP_LIMITS,
  parseVersionInfo,
  type UserInfo,
} from "../api/index.ts";
import { createBootstrapObjects, publishServerObjects } from "../bootstrap/index.ts";
import { getFirstAddress } from "../builtin/index.ts";
import { createActivityTracker, createAuditLog, createFaultInjector, createRequestInterceptor } from "../interceptors/index.ts";
import { type ProcessHost, prepareProcessHost } from "../node/index.ts";
import { createMemoryStore, type OpenedStore, openStore } from "../store/index.ts";
import { createNodeRegistry } from "../streams/index.ts";
import { advanceClock, isVirtualClock, type SettledOptions, settled } from "../testing/index.ts";
import { type RunningApiServer, startApiServer } from "./api-server.ts";
import type { Cluster, ClusterServer } from "./cluster.ts";
import type { ClusterOptions, ClusterSnapshot } from "./cluster-options.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { loadCredentials } from "./credentials.ts";
import { type Listeners, openListeners } from "./listeners.ts";

/** User of the controllers, in the audit log and in fault rules. */
const CONTROL_PLANE_USER: UserInfo = { name: "system:kube-controller-manager", groups: ["system:masters", AUTHENTICATED] };

/** Gives the caller time to write a kubeconfig before controllers take the CPU. */
const CONTROL_PLANE_START_DELAY_MS = 10;

/** With a virtual clock a week must not cost sixty thousand heartbeats. */
const LEASE_SECONDS = { real: 40, virtual: 86_400 };

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
  const host = await prepareProcessHost(options.nodes);
  try {
    return await openCluster(host, withProcessNodes(options, host));
  } catch (error) {
    await host.close();
    throw error;
  }
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

interface ClusterParts {
  readonly opened: OpenedStore;
  readonly options: ClusterOptions;
  /** Runs pods as processes; undefined with simulated nodes. */
  readonly host: ProcessHost | undefined;
  /** Closes the store and the host. */
  close(): Promise<void>;
}

/** Starts the API server, its listeners and the control plane on an open store. */
async function createCluster({ opened, options, host, close }: ClusterParts): Promise<Cluster> {
  const { clock = backgroundClock, random = Math.random, from } = options;
  const { store } = opened;
  const version = parseVersionInfo(options.kubernetesVersion ?? "v1.36.3");
  const credentials = from?.credentials ?? (await loadCredentials(opened, options.authority));
  const { authority, signingKey } = credentials;
  const range = options.services?.clusterIps;
  const services = range === undefined ? undefined : { range, first: getFirstAddress(range) };
  const bootstrapParameters = { now: clock.now(), random, services };
  const randoms = createRandomSources(random);
  const auditLog = createAuditLog();
  const routes = createServiceRoutes(from?.routes);
  const faults = createFaultInjector(randoms.faults);
  const activity = createActivityTracker();
  const nodeStreams = createNodeRegistry(async () => {
    controlPlane.start();
    await controlPlane.ready();
  });

  const apiServer = createApiServerLifecycle(() =>
    startApiServer({
      store,
      clock,
      random,
      version,
      address: () => listeners.url,
      signingKey,
      options,
      jitter: randoms.jitter,
      routes,
      nodes: nodeStreams,
      authority,
      getWebhookFaults: faults.getWebhookFaults,
    }),
  );
  const interceptor = createRequestInterceptor({
    server: () => apiServer.running?.server ?? apiServer.start().then(({ server }) => server),
    clock,
    random: randoms.jitter,
    requestTimeout: options.limits?.requestTimeout ?? DEFAULT_HTTP_LIMITS.requestTimeout,
    auditLog,
    faults,
    activity,
    onWrite: () => from !== undefined && controlPlane.start(),
  });
  const transports = createTransports(interceptor);
  const transport = transports.create();
  const controlPlaneTransport = transports.create({ user: CONTROL_PLANE_USER, livenessClock: backgroundClock });
  const controlPlane = createControlPlaneLifecycle(options.without === true, () =>
    startControlPlane({
      transport: controlPlaneTransport,
      clock,
      random: randoms.controlPlane,
      version,
      authority: authority.certificate,
      register: nodeStreams.register,
      nodes: host ?? (typeof options.nodes === "number" ? options.nodes : 1),
      etcd: getEtcdConnection(options, opened),
      leaseSeconds: isVirtualClock(clock) ? LEASE_SECONDS.virtual : LEASE_SECONDS.real,
      without: options.without === true ? [] : (options.without ?? []),
    }),
  );

  if (from === undefined) await createBootstrapObjects(store, bootstrapParameters);
  const tokens = { authenticate: async (token: string) => (await apiServer.start()).tokens.authenticate(token) };
  const listeners: Listeners = await openListeners({ server: interceptor, tokens, store, authority, options });
  if (from === undefined || listeners.url !== "") await publishServerObjects(store, { ...bootstrapParameters, ...listeners.published });
  if (from === undefined) {
    await apiServer.start();
    // A caller that waits for the address need not wait for the controllers. With a given clock or random source the order is fixed.
    const isDelayed = listeners.url !== "" && options.clock === undefined && options.random === undefined;
    if (isDelayed) setTimeout(controlPlane.start, CONTROL_PLANE_START_DELAY_MS).unref();
    else controlPlane.start();
  }

  const settle = async (settledOptions?: SettledOptions) => {
    controlPlane.start();
    await controlPlane.ready();
    await settled({ activity }, clock, settledOptions);
  };
  const snapshot = (): ClusterSnapshot => ({ at: clock.now(), objects: store.snapshot(), credentials, routes });
  const stopOnce = async () => {
    controlPlane.disable();
    interceptor.releaseDelays();
    await controlPlane.stop();
    await apiServer.stop();
    await transports.close();
    await listeners.close();
    await close();
  };
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= stopOnce();
    return stopped;
  };
  return {
    url: listeners.url,
    plainUrl: listeners.plainUrl,
    kubeconfig: listeners.kubeconfig,
    transport,
    transportAs: (user) => transports.create({ user }),
    client: ({ user = ADMIN, ...clientOptions } = {}) =>
      createClient(transports.create({ user }), { random: seededRandom(randoms.nextClientSeed()), ...clientOptions }),
    async writeKubeconfig(path) {
      // Contains the administrator's key.
      writePrivateFile(path, listeners.kubeconfig);
    },
    clock,
    server: exposeServer(interceptor, store, apiServer),
    get ready() {
      controlPlane.start();
      return controlPlane.ready();
    },
    get nodes() {
      controlPlane.start();
      return controlPlane.nodes();
    },
    nodeStreams,
    journal: auditLog,
    faults,
    routeService: routes.add,
    settled: settle,
    advance: (ms) => advanceClock(clock, ms, settle),
    snapshot,
    fork(changed = {}) {
      const seed = randoms.nextClientSeed();
      return startCluster({
        ...getForkOptions(options),
        ...(isVirtualClock(clock) ? { clock: virtualClock(clock.now()) } : {}),
        ...(options.random === undefined ? {} : { random: seededRandom(seed) }),
        ...changed,
        from: snapshot(),
      });
    },
    async restart({ history = true } = {}) {
      const wasStarted = controlPlane.isStarted();
      await controlPlane.stop();
      await apiServer.stop();
      interceptor.abortAll();
      if (!history) await store.compact(store.currentRevision());
      await apiServer.restart();
      await listeners.reopen();
      if (wasStarted) controlPlane.start();
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

interface RandomSources {
  readonly controlPlane: Random;
  /** For values that are not stored. */
  readonly jitter: Random;
  readonly faults: Random;
  /** Returns a seed for a client or fork: their number does not influence other sources. */
  nextClientSeed(): number;
}

/** Derives independent sources, so that only names and uids draw from `random` after the start. */
function createRandomSources(random: Random): RandomSources {
  const controlPlane = seededRandom(random() * 2 ** 32);
  const derive = () => seededRandom(controlPlane() * 2 ** 32);
  const jitter = derive();
  const faults = derive();
  const clients = derive();
  return { controlPlane, jitter, faults, nextClientSeed: () => clients() * 2 ** 32 };
}

interface ApiServerLifecycle {
  /** The server, while it is running. */
  readonly running: RunningApiServer | undefined;
  /** Starts the server on the first call. */
  start(): Promise<RunningApiServer>;
  /** Starts it again after `stop`. */
  restart(): Promise<RunningApiServer>;
  stop(): Promise<void>;
}

function createApiServerLifecycle(start: () => Promise<RunningApiServer>): ApiServerLifecycle {
  let running: RunningApiServer | undefined;
  let starting: Promise<RunningApiServer> | undefined;
  const restart = () => {
    running = undefined;
    starting = (async () => {
      running = await start();
      return running;
    })();
    return starting;
  };
  return {
    get running() {
      return running;
    },
    start: () => starting ?? restart(),
    restart,
    async stop() {
      (await starting)?.stop();
    },
  };
}

interface ControlPlaneLifecycle {
  /** Starts the control plane unless it is running or disabled. */
  start(): void;
  isStarted(): boolean;
  /** Resolves when the control plane is running; at once if it is not started. */
  ready(): Promise<void>;
  nodes(): ControlPlane["nodes"];
  /** Stops the control plane; `start` starts another one. */
  stop(): Promise<void>;
  /** Makes `start` a no-op. */
  disable(): void;
}

function createControlPlaneLifecycle(isDisabledByOptions: boolean, start: () => ControlPlane): ControlPlaneLifecycle {
  let isDisabled = isDisabledByOptions;
  let isStarted = false;
  let current: ControlPlane | undefined;
  return {
    start() {
      if (isDisabled || isStarted) return;
      // Set first: the control plane's first request calls start() again.
      isStarted = true;
      current = start();
    },
    isStarted: () => isStarted,
    ready: () => current?.ready ?? Promise.resolve(),
    nodes: () => current?.nodes ?? [],
    async stop() {
      await current?.stop();
      if (isDisabled) return;
      current = undefined;
      isStarted = false;
    },
    disable() {
      isDisabled = true;
    },
  };
}

/** In-process transports of a cluster, closed with it. */
function createTransports(server: Parameters<typeof createInProcessTransport>[0]) {
  const open = new Set<Transport>();
  return {
    create(options?: Parameters<typeof createInProcessTransport>[1]): Transport {
      const transport = createInProcessTransport(server, options);
      open.add(transport);
      return transport;
    },
    async close(): Promise<void> {
      await Promise.all([...open].map((transport) => transport.close()));
    },
  };
}

function exposeServer({ handle }: Pick<ApiServer, "handle">, store: ApiServer["store"], apiServer: ApiServerLifecycle): ClusterServer {
  return {
    handle,
    store,
    get registry() {
      if (apiServer.running !== undefined) return apiServer.running.server.registry;
      throw new PintleError("PINTLE6501", "the API server of a fork starts with the first request: send one before reading the registry");
    },
  };
}

/** The connection to a real etcd. The drop-in etcd, which stores no secret, is not shown as a pod. */
function getEtcdConnection({ store }: ClusterOptions, { loadOrCreateSecret }: OpenedStore) {
  return loadOrCreateSecret !== undefined && typeof store === "object" && "etcd" in store ? store.etcd : undefined;
}

/** A fork is in-process, and processes cannot be forked: it has no nodes in their place. */
function getForkOptions({ http: _http, plainHttp: _plainHttp, store: _store, nodes, ...others }: ClusterOptions): ClusterOptions {
  return { ...others, nodes: typeof nodes === "object" ? 0 : nodes };
}
