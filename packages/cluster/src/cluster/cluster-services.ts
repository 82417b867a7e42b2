import type { Transport } from "pintle/client";
import { backgroundClock, type Clock, type Random, seededRandom } from "pintle/internal/clock";
import { createFlightRecorder, type FlightRecorder } from "pintle/internal/recorder";
import { createServiceRoutes, type ServiceRoutes } from "../admission/index.ts";
import { AUTHENTICATED, createInProcessTransport, DEFAULT_HTTP_LIMITS, parseVersionInfo, type UserInfo } from "../api/index.ts";
import {
  type ActivityTracker,
  type AuditLogWriter,
  type Auditor,
  createActivityTracker,
  createAuditLog,
  createAuditor,
  createFaultInjector,
  createRequestInterceptor,
  type FaultInjector,
  type RequestInterceptor,
} from "../interceptors/index.ts";
import { createServerMetrics } from "../metrics/index.ts";
import type { ProcessHost } from "../node/index.ts";
import { createCauseScopes, learnSecrets, recordFaults, recordRequests, type StoredSecrets } from "../recorder/index.ts";
import type { ObjectStore, OpenedStore } from "../store/index.ts";
import { createNodeRegistry, type NodeRegistry } from "../streams/index.ts";
import { isVirtualClock } from "../testing/index.ts";
import { startApiServer } from "./api-server.ts";
import type { ClusterOptions, ClusterSnapshot } from "./cluster-options.ts";
import { type CommitTimes, trackCommitTimes } from "./commit-times.ts";
import { startControlPlane } from "./control-plane.ts";
import {
  type ApiServerLifecycle,
  type ControlPlaneLifecycle,
  createApiServerLifecycle,
  createControlPlaneLifecycle,
} from "./lifecycles.ts";

/** User of the controllers, in the audit log and in fault rules. */
const CONTROL_PLANE_USER: UserInfo = { name: "system:kube-controller-manager", groups: ["system:masters", AUTHENTICATED] };

/** With a virtual clock a week must not cost sixty thousand heartbeats. */
const LEASE_SECONDS = { real: 40, virtual: 86_400 };

/** What a cluster is created from. */
export interface ClusterParts {
  readonly opened: OpenedStore;
  readonly options: ClusterOptions;
  /** Runs pods as processes; undefined with simulated nodes. */
  readonly host: ProcessHost | undefined;
  /** Closes the store and the host. */
  close(): Promise<void>;
}

/** The connected parts of one cluster, none of them started. */
export interface ClusterServices {
  readonly options: ClusterOptions;
  readonly store: ObjectStore;
  readonly clock: Clock;
  /** For names and uids. */
  readonly random: Random;
  readonly randoms: RandomSources;
  readonly credentials: ClusterSnapshot["credentials"];
  readonly routes: ServiceRoutes;
  readonly auditLog: AuditLogWriter;
  /** Writes the audit events of `options.audit`. */
  readonly auditor: Auditor | undefined;
  readonly faults: FaultInjector;
  readonly activity: ActivityTracker;
  readonly nodeStreams: NodeRegistry;
  readonly apiServer: ApiServerLifecycle;
  readonly interceptor: RequestInterceptor;
  readonly transports: Transports;
  readonly controlPlane: ControlPlaneLifecycle;
  readonly commitTimes: CommitTimes;
  /** With the option `recorder`. */
  readonly recorder: FlightRecorder | undefined;
  /** The secret fields of stored objects, with the option `recorder`. */
  readonly secrets: StoredSecrets | undefined;
  /** The address of the server: set once the listeners are open. */
  readonly address: { url: string };
}

/** Creates the parts of a cluster and connects them: transports -> interceptor -> API server -> store, and the control plane as a client. */
export async function createClusterServices(
  { opened, options, host }: ClusterParts,
  credentials: ClusterSnapshot["credentials"],
): Promise<ClusterServices> {
  const { clock = backgroundClock, random = Math.random, from } = options;
  const { store } = opened;
  const { authority, signingKey } = credentials;
  const commitTimes = await trackCommitTimes(store, clock, from?.commitTimes);
  const version = parseVersionInfo(options.kubernetesVersion ?? "v1.36.3", options.buildInfo);
  const randoms = createRandomSources(random);
  const recorder = createClusterRecorder(options, clock, randoms);
  const scopes = recorder && createCauseScopes(recorder, clock);
  const plainAuditLog = createAuditLog();
  const secrets = recorder && (await learnSecrets(store, recorder.redactor));
  const auditLog = recorder === undefined || secrets === undefined ? plainAuditLog : recordRequests(plainAuditLog, recorder, secrets);
  const auditor = options.audit === undefined ? undefined : await createAuditor(options.audit, clock);
  const routes = createServiceRoutes(from?.routes);
  const faults = recordFaults(createFaultInjector(randoms.faults), recorder);
  const activity = createActivityTracker();
  const address = { url: "" };
  const nodeStreams = createNodeRegistry(async () => {
    controlPlane.start();
    await controlPlane.ready();
  });
  const metrics = createServerMetrics(version, () => ({
    store,
    registry: apiServer.running?.server.registry,
    flowControl: apiServer.running?.flowControl,
  }));
  const apiServer = createApiServerLifecycle(() =>
    startApiServer({
      store,
      clock,
      random,
      version,
      address: () => address.url,
      signingKey,
      options,
      metrics,
      jitter: randoms.jitter,
      routes,
      nodes: nodeStreams,
      authority,
      getWebhookFaults: faults.getWebhookFaults,
      recorder,
    }),
  );
  const interceptor = createRequestInterceptor({
    server: () => apiServer.running?.server ?? apiServer.start().then(({ server }) => server),
    clock,
    random: randoms.jitter,
    requestTimeout: options.limits?.requestTimeout ?? DEFAULT_HTTP_LIMITS.requestTimeout,
    auditLog,
    auditor,
    faults,
    activity,
    metrics: metrics.requests,
    onWrite: () => from !== undefined && controlPlane.start(),
  });
  const transports = createTransports(interceptor);
  const controlPlaneTransport = transports.create({ user: CONTROL_PLANE_USER, livenessClock: backgroundClock });
  const controlPlane = createControlPlaneLifecycle(options.without === true, () =>
    startControlPlane({
      transport: controlPlaneTransport,
      clock,
      random: randoms.controlPlane,
      version,
      authority,
      register: nodeStreams.register,
      nodes: host ?? (typeof options.nodes === "number" ? options.nodes : 1),
      etcd: getEtcdConnection(options, opened),
      leaseSeconds: isVirtualClock(clock) ? LEASE_SECONDS.virtual : LEASE_SECONDS.real,
      without: options.without === true ? [] : (options.without ?? []),
      scopes,
    }),
  );
  const shared = { options, store, clock, random, randoms, credentials, routes, auditLog, auditor, faults, activity, nodeStreams, address };
  return { ...shared, apiServer, interceptor, transports, controlPlane, commitTimes, recorder, secrets };
}

/** A fork continues the recording of its cluster. */
function createClusterRecorder(
  { recorder = false, from }: ClusterOptions,
  clock: Clock,
  randoms: RandomSources,
): FlightRecorder | undefined {
  if (recorder === false) return undefined;
  const { maxBytes } = recorder === true ? {} : recorder;
  return createFlightRecorder({
    hasServerCommits: true,
    maxBytes,
    clock,
    random: seededRandom(randoms.nextClientSeed()),
    earlier: from?.recorder,
  });
}

export interface RandomSources {
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

/** In-process transports of a cluster, closed with it. */
export interface Transports {
  create(options?: Parameters<typeof createInProcessTransport>[1]): Transport;
  close(): Promise<void>;
}

function createTransports(server: Parameters<typeof createInProcessTransport>[0]): Transports {
  const open = new Set<Transport>();
  return {
    create(options) {
      const transport = createInProcessTransport(server, options);
      open.add(transport);
      return transport;
    },
    async close() {
      await Promise.all([...open].map((transport) => transport.close()));
    },
  };
}

/** The connection to a real etcd. The drop-in etcd, which stores no secret, is not shown as a pod. */
function getEtcdConnection({ store }: ClusterOptions, { loadOrCreateSecret }: OpenedStore) {
  return loadOrCreateSecret !== undefined && typeof store === "object" && "etcd" in store ? store.etcd : undefined;
}
