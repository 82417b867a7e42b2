/**
 * The client of an API server.
 *
 * - `access/`: kubeconfig, in-cluster service account, exec plugins; the credentials to use
 * - `http/`: connections, pool, WebSockets, retries: the transport to a real server
 * - `verbs/`: get, list, create, apply, delete, subresources, discovery: from a call to a request and back
 * - `watch/`: watch, and waiting for a state of an object
 * - `streams/`: exec and port-forward
 * - `errors/`: one class per kind of failure, and the Status that it is made from
 *
 * In: kinds and plain JSON objects. Out: plain JSON objects and watch events. `connect()` reaches a real server; `createClient()` puts the
 * same client on any `Transport`, for example on an embedded cluster in this process.
 */
export type { WallClock } from "../clock/index.ts";
export {
  type AuthInfo,
  type ClusterAccess,
  type ClusterAccessOptions,
  ConfigError,
  CredentialsError,
  type ExecPlugin,
  type Impersonation,
  type Kubeconfig,
  type KubeconfigCluster,
  type KubeconfigContext,
  type KubeconfigExec,
  type KubeconfigUser,
  loadClusterAccess,
  type PemSource,
} from "./access/index.ts";
export type { Client, ScaleVerbs, StatusVerbs, SubresourceVerbs } from "./client.ts";
export { type ConnectOptions, connect, createTransport, loadBearerToken, type TransportOptions } from "./connect.ts";
export { type ClientOptions, createClient, trackWork } from "./create-client.ts";
export { type ErrorContext, errorFromResponse } from "./errors/error-from-response.ts";
export {
  AlreadyExists,
  BadRequest,
  Conflict,
  ConnectionError,
  Expired,
  Forbidden,
  Invalid,
  NotFound,
  type PermissionDenial,
  RequestError,
  type RequestErrorInit,
  SchemaMismatch,
  ServerError,
  Timeout,
  TooManyRequests,
  Unauthorized,
} from "./errors/request-errors.ts";
export { isStatus, STATUS_REASONS, type Status, type StatusCause, type StatusDetails } from "./errors/status.ts";
export {
  type AuthorizationVerb,
  allow,
  type DeclaredIds,
  type DeclaredKind,
  type Permission,
  type ResourceName,
  type ResourceVerb,
  type Verb,
} from "./permissions.ts";
export type { ChannelRequest, DuplexChannel, QueryParameters, Transport, TransportRequest, TransportResponse } from "./transport.ts";
export {
  type AppliedMetadata,
  type ApplyConfiguration,
  type Bookmark,
  type DynamicKind,
  type DynamicObject,
  type DynamicObjectBody,
  INITIAL_EVENTS_END,
  type ListMetadata,
  type LiveObject,
  type NamespaceField,
  type NewMetadata,
  type NewObject,
  type ObjectList,
  type ReplacementObject,
  type StatusObject,
  type WatchEvent,
} from "./verbs/objects.ts";
export type {
  ApplyOptions,
  DeleteCollectionOptions,
  DeletionOptions,
  GetOptions,
  JsonPatchOperation,
  ListOptions,
  MergePatch,
  ObjectPatch,
  ObjectSelection,
  PageOptions,
  RequestOptions,
  WaitOptions,
  WatchOptions,
  WriteOptions,
} from "./verbs/options.ts";
export type {
  EvictionOptions,
  ExecOptions,
  ExecSession,
  ForwardedPort,
  PodLogOptions,
  Scale,
  ServiceAccountToken,
  TokenRequestOptions,
} from "./verbs/pod-types.ts";
export { compareResourceVersions } from "./verbs/resource-version.ts";
export type { SchemaInput, StandardSchema, StandardSchemaIssue, StandardSchemaResult } from "./verbs/standard-schema.ts";
export type { ApiWarning, WarningHandler } from "./verbs/warnings.ts";
export { hasCondition } from "./watch/wait.ts";
