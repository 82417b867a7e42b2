import type { UserInfo } from "../api/index.ts";

/** Tokens and whom they stand for: `token,user,uid,"group1,group2"`, one a line. Throws in kube-apiserver's words. */
export function tokenFile(text: string, name: string): Readonly<Record<string, UserInfo>> {
  const users: Record<string, UserInfo> = {};
  for (const line of text.split(/\r?\n/)) {
    if (line.trim() === "" || line.startsWith("#")) continue;
    const [token = "", user = "", uid = "", groups = ""] = columns(line);
    const count = columns(line).length;
    if (count < 3) {
      throw new Error(`token file '${name}' must have at least 3 columns (token, user name, user uid), found ${count}`);
    }
    if (token === "") continue;
    users[token] = { name: user, uid, groups: groups === "" ? [] : groups.split(",") };
  }
  return users;
}

/** Comma-separated, with quotes around what holds commas. */
function columns(line: string): readonly string[] {
  return [...line.matchAll(/(?:^|,)\s*(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain?.trim() ?? "",
  );
}
