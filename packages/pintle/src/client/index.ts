/**
 * Reaching an API server: where it is and who is asking (kubeconfig, in-cluster, exec plugins), one pooled transport
 * per identity, the verbs over kinds as values, and errors by what a caller can do about them.
 *
 * In come kinds and plain JSON objects; out go plain JSON objects and watch events. `connect()` reaches a real
 * server, `clientOver()` puts the same client on any Transport, for example on an embedded cluster in this process.
 */
export {
  type Access,
  ConfigError,
  CredentialsError,
  type ExecPlugin,
  type Impersonation,
  type Kubeconfig,
  type LocateOptions,
  locate,
  type Material,
  type User,
} from "./access/index.ts";
export { anySignal } from "./any-signal.ts";
export * from "./client.ts";
export { type ClientOptions, clientOver } from "./client-over.ts";
export { condition } from "./condition.ts";
export { type ConnectOptions, connect, type TransportOptions, transportTo } from "./connect.ts";
export {
  AlreadyExists,
  BadRequest,
  Conflict,
  ConnectionError,
  type Denial,
  Expired,
  type Failure,
  Forbidden,
  Invalid,
  NotFound,
  RequestError,
  SchemaMismatch,
  ServerError,
  Timeout,
  TooManyRequests,
  Unauthorized,
} from "./errors.ts";
export { failureOf } from "./failure.ts";
export { parseJson, stringifyJson } from "./http/index.ts";
export * from "./need.ts";
export * from "./objects.ts";
export * from "./options.ts";
export * from "./pod.ts";
export * from "./resource-version.ts";
export * from "./schema.ts";
export * from "./status.ts";
export type { Timing } from "./timing.ts";
export * from "./transport.ts";
export type { ApiWarning, WarningSink } from "./warning.ts";
