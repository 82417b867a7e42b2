/**
 * The API server. Comes in: a request, over HTTP/2, HTTP/1.1 or from inside this process. On its way: request info,
 * authentication, authorisation, decoding, patching, defaults, managed fields, admission, strategy, validation, one
 * store transaction. Goes out: an object, list, table, metadata or a watch. Kinds come in as `ServedResource` values;
 * nothing here knows one by name, except namespaces.
 */
export * from "./admission.ts";
export * from "./authorizer.ts";
export { backgroundClock, timestamp } from "./clock.ts";
export type { WebhookClient } from "./crd/webhook-client.ts";
export type { TokenAuthenticator } from "./http/authenticate.ts";
export { type Listener, type ListenOptions, listenPlainly, listenSecurely } from "./http/listener.ts";
export { BEARER_PROTOCOL } from "./http/web-socket/bearer.ts";
export { lingering } from "./http/web-socket/lingering.ts";
export { type InProcessOptions, inProcessTransport } from "./in-process.ts";
export { generateName, generateUid } from "./metadata/generate-name.ts";
export { metadataOf, type ObjectMeta, withFieldOf, withMetadata, without } from "./metadata/metadata.ts";
export { labelName, type NameRule, subdomainName } from "./metadata/validate.ts";
export type { OpenApi } from "./openapi.ts";
export { age, humanDuration } from "./present/human-duration.ts";
export type { Registry, ServedGroup, ServedVersion } from "./registry.ts";
export * from "./request.ts";
export { type PathRequest, type RequestInfo, type ResourceRequest, requestInfo } from "./request-info.ts";
export * from "./resource.ts";
export { type Placed, Roster } from "./roster.ts";
export { type ApiServer, type ApiServerOptions, apiServer, failure, type Impersonation } from "./server.ts";
export { ADMIN, ANONYMOUS, AUTHENTICATED, type UserInfo } from "./user.ts";
export { type VersionInfo, versionInfo } from "./version-info.ts";
export { watchEvent } from "./watch/shared-events.ts";
