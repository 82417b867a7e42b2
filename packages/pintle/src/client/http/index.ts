/**
 * HTTP: requests over pooled keep-alive HTTP/1.1 connections, WebSockets, watch lines, and safe retries.
 *
 * In: a `ClusterAccess` and a `CredentialSource`. Out: a `Transport`. `http-transport.ts` is the entry; a request passes
 * `encode-request.ts` -> `connection-pool.ts` -> `connection.ts` -> `response-parser.ts` -> `pooled-response.ts`.
 */
export { createHttpTransport, type HttpTransportOptions } from "./http-transport.ts";
export { createRetryingTransport } from "./retry.ts";
