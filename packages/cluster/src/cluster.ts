import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { type Client, type ClientOptions, clientOver, type Transport } from "pintle/client";
import { type Clock, patientCompiler, seeded, virtualClock } from "pintle/queue";
import { type ServiceName, type ServiceTarget, serviceRoutes } from "./admission/index.ts";
import { ADMIN, type ApiServer, AUTHENTICATED, backgroundClock, inProcessTransport, type UserInfo, versionInfo } from "./api/index.ts";
import { announce, bootstrap } from "./bootstrap/index.ts";
import { firstAddress } from "./builtin/index.ts";
import type { ClusterOptions, ClusterSnapshot } from "./cluster-options.ts";
import { type ControlPlane, controlPlane } from "./control-plane.ts";
import { credentials } from "./credentials.ts";
import { listening } from "./listening.ts";
import { type ProcessNode, processSite, type Site } from "./node/index.ts";
import { type Serving, serving } from "./serving.ts";
import { memoryStore, type OpenStore, openStore } from "./store/index.ts";
import { type NodeRegistry, nodeRegistry } from "./streams/index.ts";
import {
  advance,
  type Faults,
  faultBook,
  front,
  isVirtual,
  type Journal,
  journal,
  pulse,
  type SettledOptions,
  settled,
} from "./testing/index.ts";

export interface Cluster extends AsyncDisposable {
  /** https://127.0.0.1:port; empty when it is served in this process only. */
  readonly url: string;
  /** http://127.0.0.1:port, when asked for; else empty. */
  readonly plainUrl: string;
  /** For kubectl and everybody else, as an administrator; empty when it is served in this process only. */
  readonly kubeconfig: string;
  /** Straight into this cluster, as an administrator. */
  readonly transport: Transport;
  /** The same as somebody else. */
  transportAs(user: UserInfo): Transport;
  /** A client straight into this cluster; as an administrator, unless `user` says otherwise. */
  client(options?: ClientOptions & { readonly user?: UserInfo | undefined }): Client;
  writeKubeconfig(path: string): Promise<void>;
  readonly clock: Clock;
  readonly server: Omit<ApiServer, "stop">;
  /** Resolves when controllers, scheduler and nodes are at work; `startCluster` waits only for the API server. */
  readonly ready: Promise<void>;
  /** Nodes whose pods are processes: what tests break, and where `kubectl exec` leads. Empty where they are simulated. */
  readonly nodes: readonly ProcessNode[];
  /** Which nodes are asked for logs, sessions, ports and usage in this process: a node of one's own registers here. */
  readonly nodeStreams: NodeRegistry;
  /** What clients asked for and what came of it, the control plane's own requests included. */
  readonly journal: Journal;
  /** Rules by which requests, watches and webhooks fail. */
  readonly faults: Faults;
  /**
   * Webhooks that name this Service in their clientConfig are asked there: at a URL (over https, the certificate must be for
   * `name.namespace.svc` and of the webhook's caBundle), or by a function in this process. Otherwise at the Service's endpoints.
   * Returns how to undo it.
   *
   * ```ts
   * cluster.routeService({ namespace: "system", name: "webhook-service" }, "https://127.0.0.1:9443");
   * ```
   */
  routeService(service: ServiceName, target: ServiceTarget): () => void;
  /**
   * Resolves when everything in this process is at rest: no request in flight, every watch event delivered, nothing due in
   * a queue. What waits for time to pass does not count. With `quiet`, also for clients elsewhere.
   */
  settled(options?: SettledOptions): Promise<void>;
  /** Lets so many milliseconds pass on a virtual clock, from timer to timer, and waits for `settled` after each. */
  advance(ms: number): Promise<void>;
  /** Everything as it is now, for `startCluster({ from })`. */
  snapshot(): ClusterSnapshot;
  /**
   * A cluster that goes on from here by itself, in this process, unless it is asked to serve HTTP. It costs next to nothing:
   * its controllers start with the first request that is no read. A virtual clock goes on from the same time, but by itself.
   */
  fork(options?: Omit<ClusterOptions, "from" | "store">): Promise<Cluster>;
  /**
   * As if the API server and all controllers ended and came up again: every connection breaks, ports and objects stay.
   * Without history, watches cannot go on from an earlier revision: they hear 410.
   */
  restart(options?: { readonly history?: boolean | undefined }): Promise<void>;
  /** Ends the control plane, every watch and every connection. */
  stop(): Promise<void>;
}

/** Who the parts of the control plane are, in the journal and to fault rules. */
const CONTROL_PLANE: UserInfo = { name: "system:kube-controller-manager", groups: ["system:masters", AUTHENTICATED] };

/** Long enough to write a kubeconfig. */
const LEISURE_MS = 10;

/** Starts a control plane in this process: an API server that answers like Kubernetes, with nothing to install. */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  if (options.without !== true) patientCompiler();
  if (typeof options.nodes !== "object") return clusterIn(undefined, options);
  const site = await processSite(options.nodes);
  try {
    return await clusterIn(site, onSite(options, site));
  } catch (error) {
    await site.close();
    throw error;
  }
}

/** Where objects are kept, if that is a real etcd. The drop-in one, which keeps nothing for us, has no tools either. */
function etcdOf({ store }: ClusterOptions, { keep }: OpenStore) {
  return keep !== undefined && typeof store === "object" && "etcd" in store ? store.etcd : undefined;
}

/** What follows from pods that are processes: they have to reach the server, and services are where they can reach them. */
function onSite(options: ClusterOptions, { networks }: Site): ClusterOptions {
  const { http, services } = options;
  const https = typeof http === "object" ? http : typeof http === "number" ? { port: http } : {};
  return {
    ...options,
    http: { advertise: "127.0.0.1", ...https },
    services: { ...services, clusterIps: `${networks.services}.0.0/16` },
  };
}

async function clusterIn(site: Site | undefined, options: ClusterOptions): Promise<Cluster> {
  const { store: chosen = "memory", from } = options;
  if (from !== undefined) {
    if (options.store !== undefined) throw new Error("startCluster: a snapshot is gone on from in memory: leave out `store` or `from`");
    return clusterOn({ store: memoryStore({ from: from.objects }) }, options, async () => site?.close(), site);
  }
  if (typeof chosen === "object" && "txn" in chosen) return clusterOn({ store: chosen }, options, async () => site?.close(), site);
  const opened = await openStore(chosen);
  try {
    const close = async () => {
      await opened.store.close();
      await site?.close();
    };
    return await clusterOn(opened, options, close, site);
  } catch (error) {
    await opened.store.close();
    throw error;
  }
}

async function clusterOn(
  opened: OpenStore,
  options: ClusterOptions,
  closeStore: () => Promise<void>,
  site: Site | undefined,
): Promise<Cluster> {
  const { clock = backgroundClock, random = Math.random, from } = options;
  const { store } = opened;
  const version = versionInfo(options.kubernetesVersion ?? "v1.36.3");
  const keys = from?.credentials ?? (await credentials(opened, options.authority));
  const range = options.services?.clusterIps;
  const birth = { now: clock.now(), random, services: range === undefined ? undefined : { range, first: firstAddress(range) } };
  // What is drawn apart from names and uids must not change those.
  const apart = seeded(random() * 2 ** 32);
  const seen = journal();
  const jitter = seeded(apart() * 2 ** 32);
  const routes = serviceRoutes(from?.routes);
  const faults = faultBook(seeded(apart() * 2 ** 32));
  // Of clients and forks: how many there are changes nothing else.
  const seeds = seeded(apart() * 2 ** 32);
  const beats = pulse();
  const nodeStreams = nodeRegistry(async () => {
    wake();
    await plane?.ready;
  });
  let up: Serving | Promise<Serving> | undefined;
  let plane: ControlPlane | undefined;
  let awake = false;
  let over = false;

  const serve = async (): Promise<Serving> => {
    const { signingKey } = keys;
    up = await serving({
      store,
      clock,
      random,
      version,
      address: () => outside.url,
      signingKey,
      options,
      jitter,
      routes,
      nodes: nodeStreams,
      authority: keys.authority,
      disturb: faults.ofWebhook,
    });
    return up;
  };
  const serverUp = () => {
    up ??= serve();
    return up;
  };
  const wake = () => {
    if (options.without === true || awake || over) return;
    // Before its first request asks whether it is.
    awake = true;
    plane = controlPlane({
      transport: inward,
      clock,
      random: apart,
      version,
      authority: keys.authority.certificate,
      register: nodeStreams.register,
      nodes: site ?? (typeof options.nodes === "number" ? options.nodes : 1),
      etcd: etcdOf(options, opened),
      // Where time is made to pass, a week should not cost sixty thousand heartbeats.
      leaseSeconds: isVirtual(clock) ? 86_400 : 40,
      without: options.without ?? [],
    });
  };
  const transports = new Set<Transport>();
  const own = (made: Transport) => {
    transports.add(made);
    return made;
  };
  const handler = async () => (await serverUp()).server;
  const used = () => from !== undefined && wake();
  const entrance = front({
    server: () => (up instanceof Promise || up === undefined ? handler() : up.server),
    clock,
    journal: seen,
    faults,
    beats,
    used,
  });
  const transport = own(inProcessTransport(entrance));
  const inward = own(inProcessTransport(entrance, { user: CONTROL_PLANE, liveness: backgroundClock }));
  const tokens = { authenticate: async (token: string) => (await serverUp()).tokens.authenticate(token) };

  if (from === undefined) await bootstrap(store, birth);
  const outside = await listening({ server: entrance, tokens, store, authority: keys.authority, options });
  if (from === undefined || outside.url !== "") await announce(store, { ...birth, ...outside.announced });
  if (from === undefined) {
    await serverUp();
    // Whoever waits for the address can go on while controllers start. Where chance and time are given, all happens in one order.
    const atLeisure = outside.url !== "" && options.clock === undefined && options.random === undefined;
    if (atLeisure) setTimeout(wake, LEISURE_MS).unref();
    else wake();
  }

  const settle = async (wish?: SettledOptions) => {
    wake();
    await plane?.ready;
    await settled({ beats }, clock, wish);
  };
  const snapshot = (): ClusterSnapshot => ({ at: clock.now(), objects: store.snapshot(), credentials: keys, routes });
  let ending: Promise<void> | undefined;
  const stop = () => {
    ending ??= end();
    return ending;
  };
  const end = async () => {
    over = true;
    entrance.release();
    await plane?.stop();
    (await up)?.stop();
    await Promise.all([...transports].map((each) => each.close()));
    await outside.close();
    await closeStore();
  };
  return {
    url: outside.url,
    plainUrl: outside.plainUrl,
    kubeconfig: outside.kubeconfig,
    transport,
    transportAs: (user) => own(inProcessTransport(entrance, { user })),
    client: ({ user = ADMIN, ...more } = {}) =>
      clientOver(own(inProcessTransport(entrance, { user })), { random: seeded(seeds() * 2 ** 32), ...more }),
    async writeKubeconfig(path) {
      await mkdir(dirname(path), { recursive: true });
      // It holds the administrator's key.
      await writeFile(path, outside.kubeconfig, { mode: 0o600 });
    },
    clock,
    server: {
      handle: entrance.handle,
      store,
      get registry() {
        if (up === undefined || up instanceof Promise)
          throw new Error("the registry is there once a request has been answered: send one first");
        return up.server.registry;
      },
    },
    get ready() {
      wake();
      return plane?.ready ?? Promise.resolve();
    },
    get nodes() {
      wake();
      return plane?.nodes ?? [];
    },
    nodeStreams,
    journal: seen,
    faults,
    routeService: routes.add,
    settled: settle,
    advance: (ms) => advance(clock, ms, settle),
    snapshot,
    fork(changed = {}) {
      const { http: _http, plainHttp: _plainHttp, store: _store, nodes, ...others } = options;
      // Processes cannot be forked with the objects that tell of them.
      const same = { ...others, nodes: typeof nodes === "object" ? 0 : nodes };
      const seed = seeds() * 2 ** 32;
      return startCluster({
        ...same,
        ...(isVirtual(clock) ? { clock: virtualClock(clock.now()) } : {}),
        ...(options.random === undefined ? {} : { random: seeded(seed) }),
        ...changed,
        from: snapshot(),
      });
    },
    async restart({ history = true } = {}) {
      const worked = awake;
      await plane?.stop();
      plane = undefined;
      awake = false;
      (await up)?.stop();
      entrance.cutAll();
      if (!history) await store.compact(store.currentRevision());
      up = serve();
      await up;
      await outside.again();
      if (worked) wake();
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
