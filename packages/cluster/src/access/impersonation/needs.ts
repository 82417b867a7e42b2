import type { ResourceAccess } from "../../api/index.ts";
import { fieldError, fieldErrorText } from "../../status/index.ts";
import { accountOf } from "../service-account.ts";
import { ASSOCIATED_NODE, type Mode, nodeOf } from "./modes.ts";
import type { WantedUser } from "./wanted.ts";

/** Something that who impersonates must be allowed: each of some accesses, or one instead of them; or what is never allowed. */
export type Need =
  | { readonly type: "all"; readonly each: readonly ResourceAccess[]; readonly instead?: ResourceAccess | undefined }
  | { readonly type: "never"; readonly what: ResourceAccess; readonly why: string };

const AUTHENTICATION = "authentication.k8s.io";
const MASTERS = "system:masters";
/** From so many on, constrained modes ask about all at once first. */
const MANY = 4;

/** What it takes to become the wanted user, in the order it is asked. */
export function* needs(mode: Mode, wanted: WantedUser): Iterable<Need> {
  const { constrained } = mode;
  const verb = constrained ? `impersonate:${mode.name}` : "impersonate";
  const access = (group: string, resource: string, name: string, more: Partial<ResourceAccess> = {}): ResourceAccess => {
    return { type: "resource", verb, group, resource, namespace: "", subresource: "", name, ...more };
  };
  const own = constrained ? AUTHENTICATION : "";
  yield { type: "all", each: [identity(mode, wanted.name, (resource, name, more) => access(own, resource, name, more))] };
  if (wanted.uid !== "") yield { type: "all", each: [access(AUTHENTICATION, "uids", wanted.uid)] };

  const { groups } = wanted;
  if (constrained && groups.includes("")) {
    yield { type: "never", what: access(own, "groups", ""), why: "impersonating the empty string group is not allowed" };
  }
  if (constrained && groups.includes(MASTERS)) {
    yield { type: "never", what: access(own, "groups", MASTERS), why: "impersonating the system:masters group is not allowed" };
  }
  yield {
    type: "all",
    each: groups.map((group) => access(own, "groups", group)),
    instead: constrained && groups.length >= MANY ? access(own, "groups", "*") : undefined,
  };

  const why = constrained ? extraProblem(wanted.extra) : undefined;
  if (why !== undefined) yield { type: "never", what: access(AUTHENTICATION, "userextras", ""), why };
  const extras = [...wanted.extra].flatMap(([key, values]) => values.map((value) => ({ key, value })));
  yield {
    type: "all",
    each: extras.map(({ key, value }) => access(AUTHENTICATION, "userextras", value, { subresource: key })),
    instead: constrained && extras.length >= MANY ? access(AUTHENTICATION, "userextras", "*", { subresource: "*" }) : undefined,
  };
}

/** Nodes and service accounts are more than users. */
function identity(
  mode: Mode,
  name: string,
  access: (resource: string, name: string, more?: Partial<ResourceAccess>) => ResourceAccess,
): ResourceAccess {
  const node = mode.constrained ? nodeOf(name) : undefined;
  if (node !== undefined) return access("nodes", mode.name === ASSOCIATED_NODE ? "*" : node);
  const account = accountOf(name);
  return account === undefined ? access("users", name) : access("serviceaccounts", account.name, { namespace: account.namespace });
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
