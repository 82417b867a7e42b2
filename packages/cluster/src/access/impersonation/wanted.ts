import type { Headers } from "../../api/index.ts";
import { badRequest, goQuote } from "../../status/index.ts";

/** Somebody whom a request asks to be carried out as, in its own words. */
export interface WantedUser {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: ReadonlyMap<string, readonly string[]>;
}

const EXTRA = "impersonate-extra-";

/** What the Impersonate-* headers ask for; undefined: nothing. Throws 400 when they leave out the user. */
export function wantedUser(headers: Headers): WantedUser | undefined {
  const asked = Object.keys(headers).filter((name) => name.startsWith("impersonate-"));
  if (asked.length === 0) return undefined;
  const wanted: WantedUser = {
    name: values(headers, "impersonate-user")[0] ?? "",
    uid: values(headers, "impersonate-uid")[0] ?? "",
    groups: values(headers, "impersonate-group"),
    extra: new Map(
      asked.filter((name) => name.startsWith(EXTRA)).map((name) => [unescaped(name.slice(EXTRA.length)), values(headers, name)]),
    ),
  };
  if (wanted.name !== "") return wanted;
  if (wanted.uid === "" && wanted.groups.length === 0 && wanted.extra.size === 0) return undefined;
  throw badRequest(`requested ${goText(wanted)} without impersonating a user name`);
}

function values(headers: Headers, name: string): readonly string[] {
  return [headers[name] ?? []].flat();
}

/** Keys hold slashes and other characters that header names cannot. */
function unescaped(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

function goText({ name, uid, groups, extra }: WantedUser): string {
  const list = (items: readonly string[]) => `[]string{${items.map(goQuote).join(", ")}}`;
  const entries = [...extra].map(([key, items]) => `${goQuote(key)}:${list(items)}`).sort();
  const groupText = groups.length === 0 ? "[]string(nil)" : list(groups);
  const extraText = entries.length === 0 ? "map[string][]string(nil)" : `map[string][]string{${entries.join(", ")}}`;
  return `&user.DefaultInfo{Name:${goQuote(name)}, UID:${goQuote(uid)}, Groups:${groupText}, Extra:${extraText}}`;
}
