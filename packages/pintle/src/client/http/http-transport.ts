import { extended } from "../../kinds/index.ts";
import { type Access, ConfigError, type Credential, type Credentials } from "../access/index.ts";
import { ConnectionError } from "../errors.ts";
import { failureOf, requestLine } from "../failure.ts";
import { onAbort } from "../on-abort.ts";
import type { Query, Transport, TransportRequest, TransportResponse } from "../transport.ts";
import { answer } from "./answer.ts";
import { stringifyJson } from "./exact-json.ts";
import { impersonationHeaders } from "./impersonation.ts";
import { message } from "./message.ts";
import { pools } from "./pools.ts";
import { handshake, webSocket } from "./web-socket.ts";

export interface HttpOptions {
  readonly userAgent: string;
  /** Milliseconds a server has to begin its answer, and may be silent in the middle of one. */
  readonly timeout: number;
}

/** Requests over HTTP/1.1 on kept connections. Refreshes credentials once when the server does not accept them. */
export function httpTransport(access: Access, credentials: Credentials, options: HttpOptions): Transport {
  const { host, prefix } = addressOf(access);
  const connections = pools(access, options.timeout);
  const always = { "user-agent": options.userAgent, ...impersonationHeaders(access.user?.impersonate) };

  function headersFor(credential: Credential, given: TransportRequest["headers"]): Record<string, string | string[]> {
    const headers: Record<string, string | string[]> = extended(always, (given ?? {}) as Record<string, string | string[]>);
    if (credential.authorization !== undefined) headers["authorization"] = credential.authorization;
    return headers;
  }

  function send(request: TransportRequest, body: string | undefined, credential: Credential): Promise<TransportResponse> {
    const on = request.stream === undefined ? connections.of(credential).short : connections.of(credential).long;
    const wire = message({
      method: request.method,
      path: prefix + request.path + queryText(request.query),
      host,
      headers: headersFor(credential, request.headers),
      body,
      headTimeout: options.timeout,
      silence: request.stream?.silence ?? options.timeout,
    });
    return answer(on, wire, { request: requestLine(request), server: access.server }, request.signal, request.permit);
  }

  return {
    async request(request) {
      request.signal?.throwIfAborted();
      const body = bodyText(request);
      const now = credentials.current();
      const credential = now instanceof Promise ? await unlessAborted(now, request.signal) : now;
      const response = await send(request, body, credential);
      if (response.status !== 401) return response;
      const other = await unlessAborted(credentials.instead(credential), request.signal);
      if (other === undefined) return response;
      await discard(response);
      return await send(request, body, other);
    },
    async open(request) {
      const credential = await unlessAborted(Promise.resolve(credentials.current()), request.signal);
      const asked = { request: requestLine({ method: "GET", path: request.path }), server: access.server };
      const hello = handshake(request.protocols);
      const wire = message({
        method: "GET",
        path: prefix + request.path + queryText(request.query),
        host,
        headers: headersFor(credential, hello.headers),
        upgrade: "websocket",
        headTimeout: options.timeout,
        silence: options.timeout,
      });
      const response = await answer(connections.of(credential).long, wire, asked, request.signal);
      if (response.socket === undefined) throw await failureOf(response, asked);
      if (!hello.accepted(response.headers)) {
        response.socket.destroy();
        throw new ConnectionError(
          { message: `${access.server} speaks none of ${request.protocols.join(", ")} (${asked.request})`, request: asked.request },
          true,
        );
      }
      return webSocket(response.socket, String(response.headers["sec-websocket-protocol"]), asked, request.signal);
    },
    async close() {
      connections.close();
    },
  };
}

function addressOf(access: Access): { readonly host: string; readonly prefix: string } {
  let url: URL;
  try {
    url = new URL(access.server);
  } catch {
    throw new ConfigError(`the server ${JSON.stringify(access.server)} is not a URL: write it as "https://host:6443"`);
  }
  if (url.protocol !== "https:" && url.protocol !== "http:") throw new ConfigError(`the server ${access.server} is neither https nor http`);
  const proxy = access.proxy === undefined ? undefined : /^([a-z0-9+.-]+):/i.exec(access.proxy)?.[1]?.toLowerCase();
  if (access.proxy !== undefined && proxy !== "http" && proxy !== "https") {
    throw new ConfigError(
      `proxy-url ${access.proxy}: proxies of kind ${JSON.stringify(proxy ?? "")} are not supported, only http and https`,
    );
  }
  return { host: url.host, prefix: url.pathname.replace(/\/+$/, "") };
}

/**
 * To the server an apply is YAML, whose parser takes every bracket for the possible start of a key until the line ends, and holds on
 * to all that follows: written on one line, reading it costs the server three times the memory and half as much time again.
 */
function bodyText({ body, headers }: TransportRequest): string | undefined {
  if (body === undefined) return undefined;
  return stringifyJson(body, headers?.["content-type"] === "application/apply-patch+yaml" ? 1 : undefined);
}

function queryText(query: Query | undefined): string {
  if (query === undefined) return "";
  let text = "";
  for (const key in query) {
    const value = query[key];
    if (value === undefined) continue;
    for (const one of typeof value === "string" ? [value] : value) text += `${text === "" ? "?" : "&"}${key}=${encodeURIComponent(one)}`;
  }
  return text;
}

/** A body nobody wants has to be read all the same, or its connection is lost. */
export async function discard(response: TransportResponse): Promise<void> {
  for await (const _ of response.bytes());
}

/** Others may be waiting for the same promise; only this one gives up. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const forget = onAbort(signal, () => reject(signal.reason));
    promise.then(resolve, reject).finally(forget);
  });
}
