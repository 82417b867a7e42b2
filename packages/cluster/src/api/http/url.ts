import type { Query } from "../request.ts";

const NONE: Query = new Map();

/** Whether a path is escaped as it should be. Others are refused before anybody looks at them. */
export function isReadable(path: string): boolean {
  return !/%(?![0-9a-fA-F]{2})/.test(path);
}

/** A request target: its path as it came, its query decoded. */
export function parseUrl(url: string): { readonly path: string; readonly query: Query } {
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
