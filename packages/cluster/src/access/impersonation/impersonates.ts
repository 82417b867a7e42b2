import { ANONYMOUS, AUTHENTICATED, type Authorizer, authorize, denied, type UserInfo } from "../../api/index.ts";
import { accountGroups, accountOf } from "../service-account.ts";
import { type Mode, nodeOf } from "./modes.ts";
import { needs } from "./needs.ts";
import type { WantedUser } from "./wanted.ts";

const UNAUTHENTICATED = "system:unauthenticated";

/** Throws 403 unless the requester may take on every part of the wanted identity. */
export async function impersonates(authorizer: Authorizer, mode: Mode, user: UserInfo, wanted: WantedUser): Promise<void> {
  for (const need of needs(mode, wanted)) {
    if (need.type === "never") throw denied({ user, info: need.what }, need.why);
    if (need.instead !== undefined && (await authorizer.authorize({ user, info: need.instead })).allowed) continue;
    for (const info of need.each) await authorize(authorizer, { user, info });
  }
}

/** The wanted identity with the groups the server adds to it. */
export function asUser(wanted: WantedUser, { constrained }: Mode): UserInfo {
  const { name, uid, extra } = wanted;
  const groups = groupsOf(wanted, constrained);
  const added = name === ANONYMOUS.name ? UNAUTHENTICATED : groups.includes(UNAUTHENTICATED) ? undefined : AUTHENTICATED;
  return {
    name,
    ...(uid === "" ? {} : { uid }),
    groups: added === undefined || groups.includes(added) ? groups : [...groups, added],
    ...(extra.size === 0 ? {} : { extra: Object.fromEntries(extra) }),
  };
}

/** Those asked for; else those that everybody of such a name is in. */
function groupsOf({ name, groups }: WantedUser, constrained: boolean): readonly string[] {
  if (groups.length > 0) return groups;
  if (constrained && nodeOf(name) !== undefined) return ["system:nodes"];
  const account = accountOf(name);
  return account === undefined ? [] : accountGroups(account.namespace);
}
