import { rejectOnAbort } from "../../clock/index.ts";
import { extendObject, stringifyJson } from "../../json/index.ts";
import { trimTrailing } from "../../text/index.ts";
import { type ClusterAccess, ConfigError, type Credential, type CredentialSource } from "../access/index.ts";
import { errorFromResponse, formatRequestLine } from "../errors/error-from-response.ts";
import { ConnectionError } from "../errors/request-errors.ts";
import type { QueryParameters, Transport, TransportRequest, TransportResponse } from "../transport.ts";
import { createCredentialPools } from "./credential-pools.ts";
import { buildImpersonationHeaders, encodeRequest } from "./encode-request.ts";
import { sendOnPool } from "./pooled-response.ts";
import { createHandshake, openWebSocket } from "./websocket/websocket.ts";

export interface HttpTransportOptions {
  readonly userAgent: string;
  /** Milliseconds until a response must begin, and that may pass without data in the middle of one. */
  readonly timeout: number;
}

/** Returns a transport over HTTP/1.1 with keep-alive connections. After a 401 it refreshes the credentials and tries once more. */
export function createHttpTransport(access: ClusterAccess, credentials: CredentialSource, options: HttpTransportOptions): Transport {
  const { host, prefix } = parseServerAddress(access);
  const pools = createCredentialPools(access, options.timeout);
  const commonHeaders = { "user-agent": options.userAgent, ...buildImpersonationHeaders(access.user?.impersonate) };

  function buildHeaders(credential: Credential, requestHeaders: TransportRequest["headers"]): Record<string, string | string[]> {
    const headers: Record<string, string | string[]> = extendObject(
      commonHeaders,
      (requestHeaders ?? {}) as Record<string, string | string[]>,
    );
    if (credential.authorization !== undefined) headers["authorization"] = credential.authorization;
    return headers;
  }

  function send(request: TransportRequest, body: string | undefined, credential: Credential): Promise<TransportResponse> {
    const pool = request.stream === undefined ? pools.poolsFor(credential).requests : pools.poolsFor(credential).streams;
    const encoded = encodeRequest({
      method: request.method,
      path: prefix + request.path + encodeQuery(request.query),
      host,
      headers: buildHeaders(credential, request.headers),
      body,
      headTimeout: options.timeout,
      idleTimeout: request.stream?.idleTimeout ?? options.timeout,
    });
    return sendOnPool(pool, encoded, { request: formatRequestLine(request), server: access.server }, request.signal, request.permit);
  }

  return {
    async request(request) {
      request.signal?.throwIfAborted();
      const body = encodeBody(request);
      const now = credentials.current();
      const credential = now instanceof Promise ? await rejectOnAbort(now, request.signal) : now;
      const response = await send(request, body, credential);
      if (response.status !== 401) return response;
      const refreshed = await rejectOnAbort(credentials.refresh(credential), request.signal);
      if (refreshed === undefined) return response;
      await drainResponse(response);
      return await send(request, body, refreshed);
    },
    async open(request) {
      const credential = await rejectOnAbort(Promise.resolve(credentials.current()), request.signal);
      const target = { request: formatRequestLine({ method: "GET", path: request.path }), server: access.server };
      const handshake = createHandshake(request.protocols);
      const encoded = encodeRequest({
        method: "GET",
        path: prefix + request.path + encodeQuery(request.query),
        host,
        headers: buildHeaders(credential, handshake.headers),
        upgrade: "websocket",
        headTimeout: options.timeout,
        idleTimeout: options.timeout,
      });
      const response = await sendOnPool(pools.poolsFor(credential).streams, encoded, target, request.signal);
      if (response.socket === undefined) throw await errorFromResponse(response, target);
      if (!handshake.isAccepted(response.headers)) {
        response.socket.destroy();
        throw new ConnectionError(
          {
            message: `${access.server} supports none of the protocols ${request.protocols.join(", ")} (${target.request})`,
            request: target.request,
          },
          true,
        );
      }
      return openWebSocket(response.socket, String(response.headers["sec-websocket-protocol"]), target, request.signal);
    },
    async close() {
      pools.close();
    },
  };
}

function parseServerAddress(access: ClusterAccess): { readonly host: string; readonly prefix: string } {
  let url: URL;
  try {
    url = new URL(access.server);
  } catch {
    throw new ConfigError("PINTLE1007", `the server ${JSON.stringify(access.server)} is not a URL: write it as "https://host:6443"`);
  }
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw new ConfigError("PINTLE1007", `the server ${access.server} is neither https nor http`);
  const proxy = access.proxyUrl === undefined ? undefined : /^([a-z0-9+.-]+):/i.exec(access.proxyUrl)?.[1]?.toLowerCase();
  if (access.proxyUrl !== undefined && proxy !== "http" && proxy !== "https") {
    throw new ConfigError(
      "PINTLE1007",
      `proxy-url ${access.proxyUrl}: proxies of kind ${JSON.stringify(proxy ?? "")} are not supported, only http and https`,
    );
  }
  return { host: url.host, prefix: trimTrailing(url.pathname, "/") };
}

/**
 * The server parses an apply as YAML. Its parser treats every bracket as the possible start of a key until the line ends and buffers
 * what follows: on one line, parsing costs the server three times the memory and half again as much time.
 */
function encodeBody({ body, headers }: TransportRequest): string | undefined {
  if (body === undefined) return undefined;
  return stringifyJson(body, headers?.["content-type"] === "application/apply-patch+yaml" ? 1 : undefined);
}

function encodeQuery(query: QueryParameters | undefined): string {
  if (query === undefined) return "";
  let text = "";
  for (const key in query) {
    const value = query[key];
    if (value === undefined) continue;
    for (const one of typeof value === "string" ? [value] : value) text += `${text === "" ? "?" : "&"}${key}=${encodeURIComponent(one)}`;
  }
  return text;
}

/** Reads and drops the body, so that its connection can be reused. */
export async function drainResponse(response: TransportResponse): Promise<void> {
  for await (const _ of response.bytes());
}
