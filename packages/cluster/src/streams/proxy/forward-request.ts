import { request as httpRequest, type IncomingMessage, type RequestOptions } from "node:http";
import { request as httpsRequest } from "node:https";
import { isIPv6 } from "node:net";
import type { Duplex } from "node:stream";
import { connect as tlsConnect } from "node:tls";
import { stringifyJson } from "pintle/internal/json";
import { type ApiRequest, type ApiResponse, BEARER_PROTOCOL, getHeader, type HttpHeaders } from "../../api/index.ts";
import { ApiError } from "../../status/index.ts";
import { parseHeaderList } from "../upgrade.ts";

/** The server to which a request is forwarded. */
export interface ProxyOrigin {
  readonly scheme: "http" | "https";
  readonly host: string;
  readonly port: number;
  readonly tls?: { readonly cert?: string; readonly key?: string; readonly rejectUnauthorized: boolean } | undefined;
  /** Opens the connection, if not over the network. */
  connect?(): Promise<Duplex>;
}

export type ForwardedRequest = Pick<ApiRequest, "method" | "headers" | "body" | "signal"> & {
  readonly path: string;
  /** "" or "?...". */
  readonly search: string;
};

/** Headers of a single connection, and credentials for this server: as in kube-apiserver, they are not forwarded. */
const HOP_BY_HOP_HEADERS = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "authorization",
  "host",
  "content-length",
]);
/** The user of an impersonation or a front proxy, which only this server may act on. */
const IDENTITY_PREFIXES = ["impersonate-", "x-remote-"];
/** A page of the backend must not decide which sites may use the API server's origin. */
const CORS_HEADERS = new Set([
  "access-control-allow-credentials",
  "access-control-allow-headers",
  "access-control-allow-methods",
  "access-control-allow-origin",
]);
const UPGRADE_HEADERS = new Set(["connection", "upgrade"]);

/** Forwards a request and returns the response. After an upgrade, bytes are piped in both directions. */
export async function forwardRequest(origin: ProxyOrigin, request: ForwardedRequest): Promise<ApiResponse> {
  const upgrade = isUpgradeRequest(request.headers);
  const body = await readBodyBytes(request);
  const socket = await origin.connect?.().catch((error: Error) => {
    throw unreachableError(error);
  });
  const stream = socket && origin.scheme === "https" ? tlsConnect({ socket, ...origin.tls }) : socket;
  const options: RequestOptions = {
    host: origin.host,
    port: origin.port,
    method: request.method,
    path: (request.path === "" ? "/" : request.path) + request.search,
    headers: selectHeaders(request.headers, origin, upgrade),
    signal: request.signal(),
    ...origin.tls,
    // With an agent, `createConnection` would be ignored.
    ...(stream === undefined ? { agent: false } : { createConnection: () => stream }),
  };
  const outgoing = origin.scheme === "https" ? httpsRequest(options) : httpRequest(options);
  return new Promise((resolve, reject) => {
    outgoing.on("error", (error) => reject(unreachableError(error)));
    outgoing.once("response", (response) => resolve(buildResponse(response)));
    outgoing.once("upgrade", (response, stream, first: Buffer) => {
      // It may break before the client's connection is upgraded.
      stream.on("error", () => {});
      if (first.length > 0) stream.unshift(first);
      resolve({ status: 101, headers: response.headers, body: { type: "wire", serve: (ours) => pipeBothWays(ours, stream) } });
    });
    outgoing.end(body);
  });
}

function buildResponse(response: IncomingMessage): ApiResponse {
  const headers = Object.fromEntries(
    Object.entries(response.headers).filter(
      ([name]) => (!HOP_BY_HOP_HEADERS.has(name) || name === "content-length") && !CORS_HEADERS.has(name),
    ),
  );
  return { status: response.statusCode ?? 502, headers, body: { type: "stream", chunks: response } };
}

function isUpgradeRequest(headers: HttpHeaders): boolean {
  return /\bupgrade\b/i.test(getHeader(headers, "connection") ?? "") && getHeader(headers, "upgrade") !== undefined;
}

function selectHeaders(headers: HttpHeaders, { host, port }: ProxyOrigin, upgrade: boolean): Record<string, string | string[]> {
  const listed = new Set(parseHeaderList(headers["connection"]).map((name) => name.toLowerCase()));
  const isForwarded = (name: string) => {
    if (upgrade && UPGRADE_HEADERS.has(name)) return true;
    if (name.startsWith(":") || name === "upgrade" || HOP_BY_HOP_HEADERS.has(name) || listed.has(name)) return false;
    return !IDENTITY_PREFIXES.some((prefix) => name.startsWith(prefix));
  };
  const selected: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || !isForwarded(name)) continue;
    selected[name] = typeof value === "string" ? value : [...value];
  }
  const protocols = parseHeaderList(headers["sec-websocket-protocol"]);
  const withoutToken = protocols.filter((protocol) => !protocol.startsWith(BEARER_PROTOCOL));
  if (withoutToken.length < protocols.length) {
    if (withoutToken.length === 0) delete selected["sec-websocket-protocol"];
    else selected["sec-websocket-protocol"] = withoutToken.join(",");
  }
  return { ...selected, host: isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}` };
}

async function readBodyBytes({ body: source }: ForwardedRequest): Promise<Uint8Array | undefined> {
  const body = typeof source === "function" ? await source() : source;
  if (body === undefined) return undefined;
  return "bytes" in body ? body.bytes : Buffer.from(stringifyJson(body.json));
}

function unreachableError(error: Error): ApiError {
  return new ApiError(503, "ServiceUnavailable", `error trying to reach service: ${error.message}`);
}

/** Pipes both streams into each other until both are closed. Never rejects. */
async function pipeBothWays(one: Duplex, other: Duplex): Promise<void> {
  await Promise.all([pipeOneWay(one, other), pipeOneWay(other, one)]);
}

function pipeOneWay(from: Duplex, to: Duplex): Promise<void> {
  return new Promise((resolve) => {
    from.on("error", () => {});
    from.once("close", () => {
      if (!from.readableEnded) to.destroy();
      resolve();
    });
    from.pipe(to);
  });
}
