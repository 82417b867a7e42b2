/**
 * Bytes: requests over kept HTTP/1.1 connections, JSON without loss, watch lines, WebSockets, and the retries that
 * are safe. In come an Access and Credentials; out goes a Transport.
 */
export { parseJson, stringifyJson } from "./exact-json.ts";
export { type HttpOptions, httpTransport } from "./http-transport.ts";
export { retrying } from "./retrying.ts";
