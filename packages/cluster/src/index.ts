/**
 * `@pintle/cluster`: a Kubernetes control plane inside Node. `startCluster()` starts one and returns clients, transports and a kubeconfig for
 * it. The other exports are the types of its options and results, `startKubeletServer()` for custom nodes, and `testAuthority` for tests that
 * must be reproducible.
 */

// The cluster; its clock and random source
export type { Clock, Random, Timer } from "pintle/internal/clock";
export type { FieldBlame, FieldChange, FieldManager } from "pintle/internal/merge";
// Authentication, authorization and admission
export type { AuthorizationMode, ServiceAccountTokenOptions } from "./access/index.ts";
export type { AdmissionPluginOptions, ServiceName, ServiceRoutes, ServiceTarget } from "./admission/index.ts";
// Requests, responses and served resources
export type {
  ActionRequest,
  ActionSubresource,
  AdmissionLookup,
  AdmissionOperation,
  AdmissionPlugin,
  AdmissionRequest,
  ApiRequest,
  ApiResponse,
  BuildInfo,
  ChunkedBody,
  ConnectRequest,
  ConnectSubresource,
  Conversion,
  DeletionStrategy,
  EncodedBody,
  EncodedObject,
  FeatureGates,
  GroupVersion,
  GroupVersionKind,
  HttpHeaders,
  Listener,
  MediaType,
  ObjectBody,
  ObjectSubresource,
  QueryParameters,
  ReinvocationState,
  RequestBody,
  RequestCommit,
  ResourceRegistry,
  ResourceSchema,
  ResourceStorage,
  ResourceStrategy,
  ResponseBody,
  ReviewContext,
  ScaleSubresource,
  ServedGroup,
  ServedResource,
  ServedVersion,
  StrategyContext,
  Subresource,
  TableColumn,
  TablePrinter,
  TokenAuthenticator,
  UpdateStrategy,
  UserInfo,
  Verb,
  WatchEvent,
  WatchEventType,
  WatchSink,
  WatchStream,
  WriteListeners,
} from "./api/index.ts";
export type { EventRateLimit, ImagePolicyOptions, PortRange, ServiceAddressRanges } from "./builtin/index.ts";
export {
  type Cluster,
  type ClusterAdmissionOptions,
  type ClusterClientOptions,
  type ClusterCredentials,
  type ClusterNode,
  type ClusterOptions,
  type ClusterServer,
  type ClusterSnapshot,
  type CommitTimes,
  type FieldOrigin,
  type HttpsOptions,
  type ObjectChangeSummary,
  type PastCluster,
  type ServerLimits,
  type ServiceAccountOptions,
  startCluster,
  type WhyOptions,
} from "./cluster/index.ts";
export type { ControllerName } from "./controllers/index.ts";
// Audit log and fault injection
export type {
  AuditGroupResources,
  AuditLevel,
  AuditLog,
  AuditLogEntry,
  AuditLogFileOptions,
  AuditLogMatch,
  AuditOptions,
  AuditPolicy,
  AuditPolicyRule,
  AuditStage,
  AuditWebhookOptions,
  EventFault,
  EventFaultRule,
  Fault,
  FaultFrequency,
  FaultRule,
  Faults,
  InjectedFault,
  RequestAttributes,
  RequestFault,
  RequestFaultRule,
  RequestMatch,
  StringMatch,
  WebhookFault,
  WebhookFaultRule,
} from "./interceptors/index.ts";
// Forks of clusters that run elsewhere
export { type ForkLiveOptions, forkLiveCluster, type LiveFork, type LiveForkReport } from "./live/index.ts";
// Nodes
export type {
  ContainerLogOptions,
  ContainerRef,
  ContainerSession,
  ContainerSessionEnd,
  ContainerSessionOptions,
  FaultTarget,
  ImageEntry,
  ImageTable,
  LoopbackOverrides,
  NodeFaultInjector,
  NodeStreams,
  PodIsolationMode,
  PodResourceUsage,
  ProcessNodesOptions,
  ResourceUsage,
  TerminalSize,
} from "./node/index.ts";
export type { FieldError, FieldErrorReason } from "./status/index.ts";
// Storage
export {
  CompactedError,
  type EtcdConnection,
  type EtcdStoreBackend,
  type FileStoreBackend,
  type ObjectStore,
  type StoreBackend,
  type StoreChange,
  type StoreEntry,
  StoreError,
  type StoreEvent,
  type StorePut,
  type StoreRange,
  type StoreRangeOptions,
  type StoreSnapshot,
  type TxnCommitted,
  type TxnConflict,
} from "./store/index.ts";
export { type KubeletServerOptions, type NodeRegistry, startKubeletServer } from "./streams/index.ts";
export { type ClusterKeys, type SettledOptions, testAuthority } from "./testing/index.ts";
export { readTrace, type Trace, type TraceAbout, type TraceBaseObject, type TraceCommit, type TraceManifest } from "./trace/index.ts";
