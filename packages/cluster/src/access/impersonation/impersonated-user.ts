import { quoteGoString } from "pintle/internal/go-format";
import type { HttpHeaders } from "../../api/index.ts";
import { badRequest } from "../../status/index.ts";

/** The user named by Impersonate-* headers. */
export interface ImpersonatedUser {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: ReadonlyMap<string, readonly string[]>;
}

const EXTRA = "impersonate-extra-";

/** Parses the Impersonate-* headers; undefined if there are none. Throws 400 when the user name is missing. */
export function parseImpersonationHeaders(headers: HttpHeaders): ImpersonatedUser | undefined {
  const headerNames = Object.keys(headers).filter((name) => name.startsWith("impersonate-"));
  if (headerNames.length === 0) return undefined;
  const user: ImpersonatedUser = {
    name: getHeaderValues(headers, "impersonate-user")[0] ?? "",
    uid: getHeaderValues(headers, "impersonate-uid")[0] ?? "",
    groups: getHeaderValues(headers, "impersonate-group"),
    extra: new Map(
      headerNames
        .filter((name) => name.startsWith(EXTRA))
        .map((name) => [decodeExtraKey(name.slice(EXTRA.length)), getHeaderValues(headers, name)]),
    ),
  };
  if (user.name !== "") return user;
  if (user.uid === "" && user.groups.length === 0 && user.extra.size === 0) return undefined;
  throw badRequest(`requested ${formatGoUserInfo(user)} without impersonating a user name`);
}

function getHeaderValues(headers: HttpHeaders, name: string): readonly string[] {
  return [headers[name] ?? []].flat();
}

/** Decodes a key that contains characters not allowed in header names. */
function decodeExtraKey(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

function formatGoUserInfo({ name, uid, groups, extra }: ImpersonatedUser): string {
  const list = (items: readonly string[]) => `[]string{${items.map(quoteGoString).join(", ")}}`;
  const entries = [...extra].map(([key, items]) => `${quoteGoString(key)}:${list(items)}`).sort();
  const groupText = groups.length === 0 ? "[]string(nil)" : list(groups);
  const extraText = entries.length === 0 ? "map[string][]string(nil)" : `map[string][]string{${entries.join(", ")}}`;
  return `&user.DefaultInfo{Name:${quoteGoString(name)}, UID:${quoteGoString(uid)}, Groups:${groupText}, Extra:${extraText}}`;
}
