import type { Headers } from "../request.ts";

const IMPERSONATE = "impersonate-";

/** Headers by lower-case name. Node joins repeated ones with commas, which a group's name may hold: those come as a list. */
export function headersOf(message: { readonly headers: object; readonly rawHeaders: readonly string[] }): Headers {
  const headers = message.headers as Headers;
  if (!Object.keys(headers).some((name) => name.startsWith(IMPERSONATE))) return headers;
  const lists: Record<string, string[]> = {};
  for (let at = 0; at < message.rawHeaders.length; at += 2) {
    const name = (message.rawHeaders[at] as string).toLowerCase();
    if (!name.startsWith(IMPERSONATE)) continue;
    lists[name] ??= [];
    lists[name].push(message.rawHeaders[at + 1] as string);
  }
  return { ...headers, ...lists };
}
