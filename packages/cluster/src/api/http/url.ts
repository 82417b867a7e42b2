import type { Query } from "../request.ts";

const NONE: Query = new Map();

/** Whether a path is escaped as it should be. Others are refused before anybody looks at them. */
export function isReadable(path: string): boolean {
  return !/%(?![0-9a-fA-F]{2})/.test(path);
}

const scratch = Buffer.allocUnsafe(8 * 1024);

/**
 * The same text as a string of its own. What Node says of an HTTP/2 request are strings that stand for memory of the connection: V8 goes
 * through all of them whenever it collects everything. Parts of a path are remembered for long, by the journal for one.
 */
function owned(text: string): string {
  if (text.length > scratch.length) return text;
  return scratch.toString("latin1", 0, scratch.write(text, "latin1"));
}

/** A request target: its path as it came, its query decoded. */
export function parseUrl(target: string): { readonly path: string; readonly query: Query } {
  const url = owned(target);
  const at = url.indexOf("?");
  if (at === -1) return { path: url, query: NONE };
  const query = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(url.slice(at + 1))) {
    const values = query.get(name);
    if (values === undefined) query.set(name, [value]);
    else values.push(value);
  }
  return { path: url.slice(0, at), query };
}
