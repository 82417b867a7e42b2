import type { Message } from "./lane.ts";

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** What may not stand in a header's value: whoever could write a line's end could write another request. */
const NOT_A_VALUE = /[^\t\x20-\x7e\x80-\xff]/;
const NOT_A_PATH = /[^\x21-\x7e]/;

export interface Request {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly host: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | undefined;
  readonly upgrade?: string | undefined;
  readonly headTimeout: number;
  readonly silence: number;
}

/** A request as it goes over the wire. Throws a TypeError for what cannot be said in HTTP. */
export function message({ method, path, host, headers, body, upgrade, headTimeout, silence }: Request): Message {
  if (NOT_A_PATH.test(path)) throw new TypeError(`${JSON.stringify(path)} cannot be asked for: it is not a path`);
  let head = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\n`;
  for (const name in headers) {
    const value = headers[name]!;
    if (!NAME.test(name)) throw new TypeError(`${JSON.stringify(name)} is not the name of a header`);
    for (const one of typeof value === "string" ? [value] : value) {
      if (NOT_A_VALUE.test(one)) throw new TypeError(`the header ${name} cannot have the value ${JSON.stringify(one)}`);
      head += `${name}: ${one}\r\n`;
    }
  }
  if (upgrade !== undefined) head += `connection: upgrade\r\nupgrade: ${upgrade}\r\n`;
  if (body !== undefined || method === "POST" || method === "PUT" || method === "PATCH")
    head += `content-length: ${body === undefined ? 0 : Buffer.byteLength(body)}\r\n`;
  return { method, head: `${head}\r\n`, body, upgrade: upgrade !== undefined, headTimeout, silence };
}
