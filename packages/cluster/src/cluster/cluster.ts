import type { Client, ClientOptions, Transport } from "pintle/client";
import type { Clock } from "pintle/internal/clock";
import type { CommitExplanation, FlightRecorder } from "pintle/internal/recorder";
import type { KindInfo } from "pintle/kinds";
import type { ServiceName, ServiceTarget } from "../admission/index.ts";
import type { ApiRequest, ApiResponse, ResourceRegistry, UserInfo } from "../api/index.ts";
import type { AuditLog, Faults } from "../interceptors/index.ts";
import type { NodeFaultInjector, NodeStreams } from "../node/index.ts";
import type { ObjectStore } from "../store/index.ts";
import type { NodeRegistry } from "../streams/index.ts";
import type { SettledOptions } from "../testing/index.ts";
import type { TraceAbout } from "../trace/index.ts";
import type { FieldOrigin } from "./blame-fields.ts";
import type { ClusterOptions, ClusterSnapshot } from "./cluster-options.ts";
import type { PastCluster } from "./past-cluster.ts";
import type { WhyOptions } from "./why.ts";

/** A running cluster. `await using cluster = await startCluster()` stops it at the end of the block. */
export interface Cluster extends AsyncDisposable {
  /** `https://127.0.0.1:port`; empty if the cluster does not listen. */
  readonly url: string;
  /** `http://127.0.0.1:port` with the option `plainHttp`; empty otherwise. */
  readonly plainUrl: string;
  /** Kubeconfig of an administrator, for kubectl and other clients; empty if the cluster does not listen. */
  readonly kubeconfig: string;
  /** In-process transport of an administrator. */
  readonly transport: Transport;
  /** Returns an in-process transport of a user. */
  transportAs(user: UserInfo): Transport;
  /** Returns an in-process client, by default of an administrator. */
  client(options?: ClusterClientOptions): Client;
  /** Writes the kubeconfig to a file, readable by the owner only, and creates missing folders. */
  writeKubeconfig(path: string): Promise<void>;
  /** The clock of the cluster. */
  readonly clock: Clock;
  /** The API server: its request handler, store and resource registry. */
  readonly server: ClusterServer;
  /** Resolves when controllers, scheduler and nodes are running. `startCluster` waits only for the API server. */
  readonly ready: Promise<void>;
  /** Nodes that run pods as processes; empty with simulated nodes. */
  readonly nodes: readonly ClusterNode[];
  /** Nodes that serve logs, exec, port-forward and metrics in this process. Register a custom node here. */
  readonly nodeStreams: NodeRegistry;
  /** Audit log of all requests, including those of the control plane. */
  readonly journal: AuditLog;
  /** Fault injection into requests, watches and webhook calls. */
  readonly faults: Faults;
  /**
   * Routes webhook calls of a Service to a URL or to a function in this process, instead of the Service's endpoints. For an https URL the
   * certificate must be valid for `name.namespace.svc` and signed by the webhook's caBundle. Returns the function that removes the route.
   *
   * ```ts
   * cluster.routeService({ namespace: "system", name: "webhook-service" }, "https://127.0.0.1:9443");
   * ```
   */
  routeService(service: ServiceName, target: ServiceTarget): () => void;
  /**
   * Resolves when everything in this process is idle: no request in flight, every watch event delivered, nothing due in a queue. Work that
   * waits for the clock does not count. Set `quiet` to include clients in other processes.
   */
  settled(options?: SettledOptions): Promise<void>;
  /** Advances a virtual clock by milliseconds, from timer to timer, and waits for `settled` after each. Throws for a real clock. */
  advance(ms: number): Promise<void>;
  /** Returns the current state, for `startCluster({ from })`. Cheap: values are shared. */
  snapshot(): ClusterSnapshot;
  /**
   * Starts an independent cluster from the current state. Cheap: values are shared, and controllers start with the first request that is not
   * a read. It is in-process unless `http` is given. A virtual clock continues independently from the same time.
   */
  fork(options?: Omit<ClusterOptions, "from" | "store">): Promise<Cluster>;
  /**
   * Returns the cluster as it was at a revision: read, compare or fork it. `metadata.resourceVersion` of any object is a revision. Throws
   * `CompactedError` for a revision that the store no longer retains (default: the last 20,000 commits).
   *
   * ```ts
   * await using past = cluster.at(Number(object.metadata.resourceVersion) - 1);
   * const before = await (await past.client()).find(Deployment, object.metadata);
   * ```
   */
  at(revision: number): PastCluster;
  /**
   * Resolves with every field of an object, in the version in which it is stored: its value, its field managers, and the revision and time
   * at which it took that value; undefined if the object does not exist. Lists are taken apart by key where a manager owns single items.
   */
  blame(
    kind: KindInfo,
    object: { readonly namespace?: string | undefined; readonly name: string },
  ): Promise<readonly FieldOrigin[] | undefined>;
  /**
   * Resolves with why an object is as it is: the request and the run that made its last commit, or that of a field, and the commits that caused
   * that run, up to the requests of clients. The cluster must be started with `recorder`. `formatExplanation` of `pintle` prints it.
   *
   * ```ts
   * const explanation = await cluster.why(Deployment, { namespace: "default", name: "web" }, { field: ".spec.replicas" });
   * ```
   */
  why(
    kind: KindInfo,
    object: { readonly namespace?: string | undefined; readonly name: string },
    options?: WhyOptions,
  ): Promise<CommitExplanation>;
  /**
   * Writes a trace file: the objects at the start of this cluster, every commit and fact since then, without secrets. `pintle trace show` and `readTrace`
   * read it. Works after `stop()` too. The cluster must be started with `recorder`.
   */
  writeTrace(file: string, about?: TraceAbout): Promise<void>;
  /** The recording of this cluster; undefined without the option `recorder`. Pass it to the manager in this process, so that its runs are part of it. */
  readonly recorder: FlightRecorder | undefined;
  /**
   * Restarts the API server and all controllers: every connection breaks, ports and objects stay. With `history: false` (default: true)
   * history is compacted, so watches from an earlier revision receive 410.
   */
  restart(options?: { readonly history?: boolean | undefined }): Promise<void>;
  /** Stops the control plane and closes every watch, connection and the store. */
  stop(): Promise<void>;
}

/** Options of `Cluster.client`. */
export interface ClusterClientOptions extends ClientOptions {
  /** User of the client. Default: an administrator. */
  readonly user?: UserInfo | undefined;
}

/** The API server of a cluster, for requests and inspection in this process. */
export interface ClusterServer {
  /** Handles a request without HTTP. Never rejects: a failure is a response. */
  handle(request: ApiRequest): Promise<ApiResponse>;
  /** The store of the cluster's objects. */
  readonly store: ObjectStore;
  /** The served resources. Throws in a fork that has not handled a request yet. */
  readonly registry: ResourceRegistry;
}

/** A node that runs pods as processes. */
export interface ClusterNode {
  /** Name of the node. */
  readonly node: string;
  /** IP address of the node. */
  readonly address: string;
  /** Logs, exec, attach and port-forward of its pods. */
  readonly streams: NodeStreams;
  /** Fault injection into the node and its pods. */
  readonly faults: NodeFaultInjector;
}
