import type { Clock, Random } from "pintle/queue";
import type { AccountRules, AuthorizationMode } from "./access/index.ts";
import type { PluginChoice, ServiceRoutes } from "./admission/index.ts";
import type { AdmissionPlugin, ServedResource, UserInfo } from "./api/index.ts";
import type { AddressRanges } from "./builtin/index.ts";
import type { PartName } from "./controllers/index.ts";
import type { Credentials } from "./credentials.ts";
import type { ProcessNodesOptions } from "./node/index.ts";
import type { Store, StoreChoice, StoreSnapshot } from "./store/index.ts";
import type { ClusterKeys } from "./testing/index.ts";
import type { KeyPair } from "./tls/index.ts";

export interface ClusterOptions {
  /** Serve HTTPS: true for any free port of loopback, the port, or more about it. Default: only in this process. */
  readonly http?: boolean | number | HttpsOptions | undefined;
  /** Also serve plain HTTP on loopback, where everybody is an administrator. */
  readonly plainHttp?: boolean | number | undefined;
  /** What everything in the cluster goes by; with a `virtualClock()` time passes when `advance` says so. */
  readonly clock?: Clock | undefined;
  /** Source of generated names and uids; default Math.random. */
  readonly random?: Random | undefined;
  /** What /version says: "v1.36.3". */
  readonly kubernetesVersion?: string | undefined;
  /** Bearer tokens and whom they stand for. */
  readonly tokens?: Readonly<Record<string, UserInfo>> | undefined;
  /** What decides who may do what. Default: RBAC, with the roles of a fresh server; the administrator may do everything. */
  readonly authorizationMode?: AuthorizationMode | readonly AuthorizationMode[] | undefined;
  /** What tokens of service accounts are signed with, and which are good. Default: a key that is kept with the store. */
  readonly accounts?: AccountOptions | undefined;
  /** Whose certificates and tokens these are. Default: an authority that is kept with the store, or a new one. */
  readonly authority?: ClusterKeys | undefined;
  /** Where services get addresses and node ports. */
  readonly services?: AddressRanges | undefined;
  /** Where objects are kept, with the keys that kubeconfigs and tokens go by. Default: in memory. A store of one's own is not closed. */
  readonly store?: StoreChoice | Store | undefined;
  /** Goes on from where another cluster was, in memory. Controllers start with the first request that is no read. */
  readonly from?: ClusterSnapshot | undefined;
  readonly admission?: readonly AdmissionPlugin[] | undefined;
  /** Which of the server's own admission plugins run. Default: those of a stock server. */
  readonly admissionPlugins?: PluginChoice | undefined;
  /** Parts of the control plane that do not run; true leaves the API server alone, as envtest does. Default: none is left out. */
  readonly without?: true | readonly PartName[] | undefined;
  /**
   * How many simulated nodes run the pods; or nodes whose pods are real processes. The server is then served over HTTPS, for the
   * pods to reach it. Default: one simulated node, and none in an API server alone.
   */
  readonly nodes?: number | ProcessNodesOptions | undefined;
  /** The built-in kinds; default: those of a stock server. */
  readonly resources?: readonly ServedResource[] | undefined;
}

export interface HttpsOptions {
  /** Default: any free one. */
  readonly port?: number | undefined;
  /** An address of this machine; default: loopback. */
  readonly host?: string | undefined;
  /** What to show to clients; default: a certificate of the cluster's own authority. */
  readonly keys?: KeyPair | undefined;
  /** PEM; whose certificates clients are known by. Default: the cluster's own authority; null: none. There is no kubeconfig then. */
  readonly clientAuthority?: string | null | undefined;
  /** Whether those who show nothing are served, as nobody in particular. Default: yes. */
  readonly anonymous?: boolean | undefined;
  /** The address that the `kubernetes` Service leads to. */
  readonly advertise?: string | undefined;
}

export interface AccountOptions extends AccountRules {
  /** PEM. */
  readonly signingKey?: string | undefined;
}

/** Everything that a cluster held at one moment. Immutable, and shares all values with the cluster: it costs little. */
export interface ClusterSnapshot {
  /** The cluster's time: milliseconds since 1970. */
  readonly at: number;
  readonly objects: StoreSnapshot;
  readonly credentials: Credentials;
  /** Where Services were led to. */
  readonly routes: ServiceRoutes;
}
