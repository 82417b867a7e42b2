/**
 * The API server: one request pipeline on a store. In come requests over HTTP/2, HTTP/1.1 or from this process, and kinds as
 * `ServedResource` values; out go objects, lists, tables, metadata or watches. `pipeline.ts` lists the stages of a request in order, each
 * stage is a file in `stages/`, and `RequestContext` holds the state of a request. Nothing here knows a kind by name, except namespaces.
 */
export * from "./admission/admission-chain.ts";
export type { ConversionWebhookClient } from "./crd/webhook-client.ts";
export { type DeadlineEntry, Deadlines } from "./deadlines.ts";
export { formatAge, formatHumanDuration } from "./encoding/human-duration.ts";
export type { TokenAuthenticator } from "./http/authenticate.ts";
export { DEFAULT_HTTP_LIMITS, type HttpLimits } from "./http/limits.ts";
export { type Listener, type ListenOptions, listenHttp, listenHttps } from "./http/listener.ts";
export { BEARER_PROTOCOL, endWithLinger } from "./http/web-socket/index.ts";
export {
  createInProcessTransport,
  type InProcessTransportOptions,
} from "./in-process/transport.ts";
export { generateName, generateUid } from "./metadata/generate-name.ts";
export {
  copyField,
  getMetadata,
  type ObjectMeta,
  omitField,
  withMetadata,
} from "./metadata/object-meta.ts";
export { formatTimestamp } from "./metadata/timestamp.ts";
export {
  type NameValidator,
  validateLabelName,
  validateSubdomainName,
} from "./metadata/validate-metadata.ts";
export { type FieldSelector, tryParseFieldSelector } from "./options/field-selector.ts";
export { runEntryStages } from "./pipeline.ts";
export type { ResourceRegistry, ServedGroup, ServedVersion } from "./registry/registry.ts";
export * from "./registry/served-resource.ts";
export * from "./request/api-request.ts";
export * from "./request/authorizer.ts";
export * from "./request/flow-control.ts";
export { isLongRunning } from "./request/long-running.ts";
export type { RequestInfo, ResourceRequest } from "./request/request-info.ts";
export { ADMIN, ANONYMOUS, APISERVER, AUTHENTICATED, findNodeName, type UserInfo } from "./request/user.ts";
export { type Impersonation, type Impersonator, type RequestCommit, RequestContext } from "./request-context.ts";
export type { OpenApiSource } from "./routes/openapi-source.ts";
export { type BuildInfo, parseVersionInfo, type VersionInfo } from "./routes/version-info.ts";
export {
  type ApiServer,
  type ApiServerOptions,
  buildErrorResponse,
  buildTimeoutResponse,
  createApiServer,
  type FeatureGates,
} from "./server.ts";
export { resolveUser } from "./stages/authenticate.ts";
export { createWatchEvent } from "./watch/watch-event-cache.ts";
