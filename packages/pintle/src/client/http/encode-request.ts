import { InvalidArgumentError } from "../../errors/index.ts";
import type { Impersonation } from "../access/index.ts";
import type { EncodedRequest } from "./connection.ts";

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Characters that a header value must not contain: a line break would allow request smuggling. */
const FORBIDDEN_IN_HEADER_VALUE = /[^\t\x20-\x7e\x80-\xff]/;
const FORBIDDEN_IN_PATH = /[^\x21-\x7e]/;

/** A request before it is encoded. */
export interface HttpRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly host: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | undefined;
  readonly upgrade?: string | undefined;
  readonly headTimeout: number;
  readonly idleTimeout: number;
}

/** Encodes a request for HTTP/1.1. Throws `InvalidArgumentError` if the path or a header contains characters that HTTP does not allow. */
export function encodeRequest({ method, path, host, headers, body, upgrade, headTimeout, idleTimeout }: HttpRequest): EncodedRequest {
  if (FORBIDDEN_IN_PATH.test(path))
    throw new InvalidArgumentError("PINTLE1055", `${JSON.stringify(path)} cannot be requested: it is not a path`);
  let head = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\n`;
  for (const name in headers) {
    const value = headers[name]!;
    if (!HEADER_NAME.test(name)) throw new InvalidArgumentError("PINTLE1055", `${JSON.stringify(name)} is not a header name`);
    for (const item of typeof value === "string" ? [value] : value) {
      if (FORBIDDEN_IN_HEADER_VALUE.test(item))
        throw new InvalidArgumentError("PINTLE1055", `the header ${name} cannot have the value ${JSON.stringify(item)}`);
      head += `${name}: ${item}\r\n`;
    }
  }
  if (upgrade !== undefined) head += `connection: upgrade\r\nupgrade: ${upgrade}\r\n`;
  if (body !== undefined || method === "POST" || method === "PUT" || method === "PATCH")
    head += `content-length: ${body === undefined ? 0 : Buffer.byteLength(body)}\r\n`;
  return { method, head: `${head}\r\n`, body, upgrade: upgrade !== undefined, headTimeout, idleTimeout };
}

/** Returns the Impersonate-* headers. Keys of `extra` become part of a header name and are percent-encoded. */
export function buildImpersonationHeaders(as: Impersonation | undefined): Record<string, string | string[]> {
  if (as === undefined) return {};
  const headers: Record<string, string | string[]> = { "impersonate-user": as.user };
  if (as.uid !== undefined) headers["impersonate-uid"] = as.uid;
  if (as.groups !== undefined && as.groups.length > 0) headers["impersonate-group"] = [...as.groups];
  for (const [key, values] of Object.entries(as.extra ?? {})) headers[`impersonate-extra-${encodeHeaderName(key)}`] = [...values];
  return headers;
}

function encodeHeaderName(key: string): string {
  const bytes = Buffer.from(key.toLowerCase());
  let name = "";
  for (const byte of bytes) {
    const char = String.fromCharCode(byte);
    name += /[a-z0-9!#$&'*+.^_`|~-]/.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }
  return name;
}
