import type { Clock, Random } from "pintle/internal/clock";
import type { FlightRecorder } from "pintle/internal/recorder";
import type { CertificateKeyPair } from "pintle/tls";
import type { AuthorizationMode, ServiceAccountTokenOptions } from "../access/index.ts";
import type { AdmissionPluginOptions, ServiceRoutes } from "../admission/index.ts";
import type { AdmissionPlugin, BuildInfo, FeatureGates, ServedResource, UserInfo } from "../api/index.ts";
import type { EventRateLimit, ImagePolicyOptions, ServiceAddressRanges } from "../builtin/index.ts";
import type { ControllerName } from "../controllers/index.ts";
import type { AuditOptions } from "../interceptors/index.ts";
import type { ProcessNodesOptions } from "../node/index.ts";
import type { ObjectStore, StoreBackend, StoreSnapshot } from "../store/index.ts";
import type { ClusterKeys } from "../testing/index.ts";
import type { CommitTimes } from "./commit-times.ts";
import type { ClusterCredentials } from "./credentials.ts";

/** Options of `startCluster`. */
export interface ClusterOptions {
  /** Listen for HTTPS: true for a free port of the loopback interface, a port, or detailed options. Default: in-process only. */
  readonly http?: boolean | number | HttpsOptions | undefined;
  /**
   * Also listen for plain HTTP on the loopback interface, where every program of this machine is an administrator. Requests of web pages
   * (a Host that is not this machine, a foreign Origin) are refused. Default: false.
   */
  readonly plainHttp?: boolean | number | undefined;
  /** Clock of the cluster. With a `virtualClock()` time passes only when `advance` is called. Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** Random source of generated names and uids. Default: `Math.random`. */
  readonly random?: Random | undefined;
  /** Version that /version reports. Default: "v1.36.3". */
  readonly kubernetesVersion?: string | undefined;
  /** Alpha features to enable. Default: none. */
  readonly featureGates?: FeatureGates | undefined;
  /** The other fields of /version. Default: they are empty. */
  readonly buildInfo?: BuildInfo | undefined;
  /** Static bearer tokens and their users. Default: none. */
  readonly tokens?: Readonly<Record<string, UserInfo>> | undefined;
  /** Authorization mode; with several, a request is allowed if one of them allows it. Default: ["Node", "RBAC"]. */
  readonly authorizationMode?: AuthorizationMode | readonly AuthorizationMode[] | undefined;
  /** Signing and validation of service account tokens. Default: a generated key, stored with the objects. */
  readonly accounts?: ServiceAccountOptions | undefined;
  /** Certificate authority and token key. Default: generated, and stored with the objects. */
  readonly authority?: ClusterKeys | undefined;
  /**
   * Kubelets of other processes on this machine ("127.0.0.1:10250") that the server may call although their address, in the status of their
   * Node, is a loopback or link-local one. Default: none; such addresses are refused.
   */
  readonly loopbackKubelets?: readonly string[] | undefined;
  /** Ranges of service addresses and node ports. Default: 10.96.0.0/16 and 30000-32767. */
  readonly services?: ServiceAddressRanges | undefined;
  /** Where objects, and the keys of kubeconfigs and tokens, are stored. An `ObjectStore` passed in is not closed. Default: "memory". */
  readonly store?: StoreBackend | ObjectStore | undefined;
  /** Start from a snapshot, in memory. Controllers start with the first request that is not a read. Default: an empty cluster. */
  readonly from?: ClusterSnapshot | undefined;
  /** Custom admission plugins; they run before policies and webhooks. Default: none. */
  readonly admission?: readonly AdmissionPlugin[] | undefined;
  /** Built-in admission plugins to enable or disable. Default: those that kube-apiserver enables. */
  readonly admissionPlugins?: ClusterAdmissionOptions | undefined;
  /** Controllers that do not run; true runs the API server alone, as envtest does. Default: all run. */
  readonly without?: true | readonly ControllerName[] | undefined;
  /**
   * Number of simulated nodes, or options of nodes that run pods as processes; the server then listens for HTTPS, so that pods can reach it.
   * Default: one simulated node, or none in an API server alone.
   */
  readonly nodes?: number | ProcessNodesOptions | undefined;
  /**
   * Writes an audit event of audit.k8s.io/v1 to a file, or sends it to a webhook, for each stage of the requests that a policy selects, including
   * requests of the control plane. A fork has neither. Default: no events are written; `cluster.journal` has the last requests anyway.
   */
  readonly audit?: AuditOptions | undefined;
  /**
   * Records what caused every commit: requests, and the events, timers and runs of controllers, scheduler and nodes. `maxBytes` limits the facts in memory
   * (default: 64 MiB). A fork continues the recording. Read it as `cluster.recorder`, ask `cluster.why`. Default: false.
   */
  readonly recorder?: boolean | { readonly maxBytes?: number | undefined } | undefined;
  /** Limits of requests and connections. Default: kube-apiserver's. */
  readonly limits?: ServerLimits | undefined;
  /** Served built-in kinds. Default: those of kube-apiserver. */
  readonly resources?: readonly ServedResource[] | undefined;
}

/** The built-in admission plugins, and what some of them need to have an effect. */
export interface ClusterAdmissionOptions extends AdmissionPluginOptions {
  /** Limits of the plugin EventRateLimit, once it is enabled. Default: none. */
  readonly eventRateLimits?: readonly EventRateLimit[] | undefined;
  /** The backend of the plugin ImagePolicyWebhook, once it is enabled. Default: none. */
  readonly imagePolicy?: ImagePolicyOptions | undefined;
}

/** Limits of the API server, so that no client can take its time or memory from the others. Durations in milliseconds. */
export interface ServerLimits {
  /** Time for a request that is not long-running; one that takes longer gets 504. Default: 60,000. */
  readonly requestTimeout?: number | undefined;
  /** Requests in execution that do not write; together with the next one, the seats that priority levels share. Default: 400. */
  readonly maxRequestsInFlight?: number | undefined;
  /** Requests in execution that write. Default: 200. */
  readonly maxMutatingRequestsInFlight?: number | undefined;
  /** Whether requests are limited by API Priority and Fairness. Default: true. */
  readonly priorityAndFairness?: boolean | undefined;
  /** Time until a connection without requests is closed. Default: 90,000. */
  readonly idleTimeout?: number | undefined;
  /** Connections of a listener; for a further one, the one that has been idle for the longest time is closed. Default: 10,000. */
  readonly maxConnections?: number | undefined;
  /** Concurrent streams of an HTTP/2 connection. Default: 250. */
  readonly maxStreamsPerConnection?: number | undefined;
}

/** Options of the HTTPS listener. */
export interface HttpsOptions {
  /** Default: a free port. */
  readonly port?: number | undefined;
  /** Address to listen on. Default: 127.0.0.1. */
  readonly host?: string | undefined;
  /** Serving certificate. Default: one signed by the cluster's authority. */
  readonly keys?: CertificateKeyPair | undefined;
  /** PEM authority of client certificates; null for none. Without the cluster's own there is no kubeconfig. Default: the cluster's authority. */
  readonly clientAuthority?: string | null | undefined;
  /** Whether requests without credentials are served as system:anonymous. Default: true. */
  readonly anonymous?: boolean | undefined;
  /** Address of the `kubernetes` Service's endpoint. Default: a documentation address. */
  readonly advertise?: string | undefined;
}

/** Options of service account tokens. */
export interface ServiceAccountOptions extends ServiceAccountTokenOptions {
  /** PEM key that signs tokens. Default: a generated one, stored with the objects. */
  readonly signingKey?: string | undefined;
}

/** State of a cluster at one moment. Immutable; shares all values with the cluster, so it is cheap. */
export interface ClusterSnapshot {
  /** Time of the cluster's clock, in milliseconds since 1970. */
  readonly at: number;
  /** Stored objects and their history. */
  readonly objects: StoreSnapshot;
  /** Certificate authority and token key. */
  readonly credentials: ClusterCredentials;
  /** Routes added by `routeService`. */
  readonly routes: ServiceRoutes;
  /** When the commits in the history happened. Default: unknown. */
  readonly commitTimes?: CommitTimes | undefined;
  /** The recording of the cluster, if there is one. */
  readonly recorder?: FlightRecorder | undefined;
}
