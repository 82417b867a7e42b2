import type { IncomingHttpHeaders } from "node:http";
import { isLoopbackHost, isLoopbackUrl } from "./loopback-host.ts";

export interface GuardedRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: IncomingHttpHeaders;
  /** Names and values in turn, as received. */
  readonly rawHeaders: readonly string[];
}

export interface RequestGuardOptions {
  /** The address that the listener is bound to; undefined: all interfaces. Requests to a loopback address must name a loopback host. */
  readonly host: string | undefined;
  /** Whether bodies of the content types of HTML forms are accepted. Default: false. */
  readonly allowFormTypes?: boolean | undefined;
  /** Methods whose bodies may have no content type. Only those that a browser never sends without asking first. Default: none. */
  readonly untypedMethods?: readonly ("PUT" | "PATCH" | "DELETE")[] | undefined;
}

export interface RequestRefusal {
  readonly status: 400 | 403 | 415;
  readonly message: string;
}

/** Content types that a page of any origin may send without a preflight request. */
const FORM_TYPES = new Set(["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]);

/**
 * Creates the check of a plain-HTTP listener. It returns why a request is refused:
 *
 * - The Host of a request to a loopback address must be a loopback host. A page whose DNS name was rebound to 127.0.0.1 sends its own name.
 * - Origin and Sec-Fetch-Site, which browsers send and pages cannot change, must be those of the listener itself.
 * - A body must have a content type, and none that an HTML form can send.
 */
export function createRequestGuard(options: RequestGuardOptions): (request: GuardedRequest) => RequestRefusal | undefined {
  const { host: boundTo, allowFormTypes = false, untypedMethods = [] } = options;
  const isLoopback = boundTo !== undefined && isLoopbackHost(boundTo);
  return function checkRequest(request) {
    const { method = "GET", url = "/", headers } = request;
    if (countHeaders(request, "host") > 1) return { status: 400, message: "the request has more than one Host header" };
    const host = headers.host ?? "";
    if (isLoopback) {
      if (!isLoopbackAuthority(host)) return forbidden(`Host ${JSON.stringify(host)} is not this machine: use localhost or 127.0.0.1`);
      if (!url.startsWith("/") && url !== "*" && !isLoopbackUrl(url))
        return forbidden(`the request target ${JSON.stringify(url.slice(0, 100))} is not this machine`);
    }
    const { origin } = headers;
    if (origin !== undefined && origin.toLowerCase() !== `http://${host.toLowerCase()}`)
      return forbidden(`requests of pages of the origin ${JSON.stringify(origin)} are not allowed`);
    const site = headers["sec-fetch-site"];
    if (site !== undefined && site !== "same-origin" && site !== "none")
      return forbidden(`requests of pages of other origins are not allowed (Sec-Fetch-Site: ${String(site)})`);
    if (!hasBody(headers)) return undefined;
    const type = (headers["content-type"] ?? "").split(";")[0]!.trim().toLowerCase();
    if (type === "") {
      if ((untypedMethods as readonly string[]).includes(method)) return undefined;
      return { status: 415, message: "the body has no content type: set the header Content-Type" };
    }
    if (!allowFormTypes && FORM_TYPES.has(type))
      return { status: 415, message: `bodies of the content type ${type} are not accepted: set the header Content-Type` };
    return undefined;
  };
}

function forbidden(message: string): RequestRefusal {
  return { status: 403, message };
}

function hasBody(headers: IncomingHttpHeaders): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

/** Node keeps the first of several Host headers and drops the others. */
function countHeaders({ rawHeaders }: GuardedRequest, name: string): number {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) if (rawHeaders[i]!.toLowerCase() === name) count++;
  return count;
}

/** Returns whether "host" or "host:port" is this machine. */
function isLoopbackAuthority(text: string): boolean {
  const [, host, port] = /^([^:[\]]+|\[[^[\]]*\])(?::(\d{1,5}))?$/.exec(text) ?? [];
  return host !== undefined && isLoopbackHost(host) && Number(port ?? 0) <= 65_535;
}
