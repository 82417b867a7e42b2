import { ANONYMOUS, AUTHENTICATED, type Authorizer, authorize, denied, type ResourceAccess, type UserInfo } from "../../api/index.ts";
import { fieldError, fieldErrorText } from "../../status/index.ts";
import { accountGroups, accountOf } from "../service-account.ts";
import { ASSOCIATED_NODE, type Mode, nodeOf } from "./modes.ts";
import type { WantedUser } from "./wanted.ts";

const AUTHENTICATION = "authentication.k8s.io";
const UNAUTHENTICATED = "system:unauthenticated";
const MASTERS = "system:masters";
/** From so many on, constrained modes ask about all at once first. */
const MANY = 4;

/** Throws 403 unless the requester may take on every part of the wanted identity. */
export async function impersonates(authorizer: Authorizer, mode: Mode, user: UserInfo, wanted: WantedUser): Promise<void> {
  const verb = mode.constrained ? `impersonate:${mode.name}` : "impersonate";
  const access = (group: string, resource: string, name: string, more: Partial<ResourceAccess> = {}): ResourceAccess => ({
    type: "resource",
    verb,
    group,
    resource,
    namespace: "",
    subresource: "",
    name,
    ...more,
  });
  const check = (info: ResourceAccess) => authorize(authorizer, { user, info });
  const allowed = async (info: ResourceAccess) => (await authorizer.authorize({ user, info })).allowed;
  const refuse = (info: ResourceAccess, why: string) => denied({ user, info }, why);

  const named = mode.constrained ? AUTHENTICATION : "";
  const node = mode.constrained ? nodeOf(wanted.name) : undefined;
  const account = accountOf(wanted.name);
  if (node !== undefined) await check(access(named, "nodes", mode.name === ASSOCIATED_NODE ? "*" : node));
  else if (account !== undefined) await check(access(named, "serviceaccounts", account.name, { namespace: account.namespace }));
  else await check(access(named, "users", wanted.name));

  if (wanted.uid !== "") await check(access(AUTHENTICATION, "uids", wanted.uid));

  if (mode.constrained) {
    if (wanted.groups.includes("")) throw refuse(access(named, "groups", ""), "impersonating the empty string group is not allowed");
    if (wanted.groups.includes(MASTERS)) {
      throw refuse(access(named, "groups", MASTERS), "impersonating the system:masters group is not allowed");
    }
  }
  const manyGroups = mode.constrained && wanted.groups.length >= MANY && (await allowed(access(named, "groups", "*")));
  if (!manyGroups) for (const group of wanted.groups) await check(access(named, "groups", group));

  const wrong = mode.constrained ? extraProblem(wanted.extra) : undefined;
  if (wrong !== undefined) throw refuse(access(AUTHENTICATION, "userextras", ""), wrong);
  const extras = [...wanted.extra].flatMap(([key, values]) => values.map((value) => ({ key, value })));
  const manyExtras =
    mode.constrained && extras.length >= MANY && (await allowed(access(AUTHENTICATION, "userextras", "*", { subresource: "*" })));
  if (!manyExtras) for (const { key, value } of extras) await check(access(AUTHENTICATION, "userextras", value, { subresource: key }));
}

function extraProblem(extra: WantedUser["extra"]): string | undefined {
  for (const [key, values] of extra) {
    if (key === "") return "impersonating the empty string key in extra is not allowed";
    if (!key.includes("/")) {
      const error = fieldError.invalid("extra.key", key, 'must be a domain-prefixed path (such as "acme.io/foo")');
      return `impersonating an invalid key in extra is not allowed: ${fieldErrorText(error)}`;
    }
    if (values.includes("")) return "impersonating the empty string value in extra is not allowed";
  }
  return undefined;
}

/** The wanted identity with the groups the server adds to it. */
export function asUser({ name, uid, groups, extra }: WantedUser, constrained: boolean): UserInfo {
  const account = accountOf(name);
  const own =
    groups.length > 0
      ? groups
      : constrained && nodeOf(name) !== undefined
        ? ["system:nodes"]
        : account === undefined
          ? []
          : accountGroups(account.namespace);
  const added = name === ANONYMOUS.name ? UNAUTHENTICATED : own.includes(UNAUTHENTICATED) ? undefined : AUTHENTICATED;
  return {
    name,
    ...(uid === "" ? {} : { uid }),
    groups: added === undefined || own.includes(added) ? own : [...own, added],
    ...(extra.size === 0 ? {} : { extra: Object.fromEntries(extra) }),
  };
}
