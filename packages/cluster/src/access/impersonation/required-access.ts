import type { ResourceAttributes } from "../../api/index.ts";
import { fieldError, formatFieldError } from "../../status/index.ts";
import { parseServiceAccountUsername } from "../service-account.ts";
import type { ImpersonatedUser } from "./impersonated-user.ts";
import { ASSOCIATED_NODE, type ImpersonationMode, parseNodeUsername } from "./modes.ts";

/** Access that the requester must have: all of a list, or one wildcard instead; or something that is never allowed. */
export type RequiredAccess =
  | { readonly type: "all"; readonly accesses: readonly ResourceAttributes[]; readonly wildcard?: ResourceAttributes | undefined }
  | { readonly type: "never"; readonly access: ResourceAttributes; readonly reason: string };

const AUTHENTICATION = "authentication.k8s.io";
const MASTERS = "system:masters";
/** From this many values on, constrained modes check the wildcard first. */
const WILDCARD_CHECK_THRESHOLD = 4;

/** Yields the access required to impersonate the user, in the order it is checked. */
export function* listRequiredAccess(mode: ImpersonationMode, impersonated: ImpersonatedUser): Iterable<RequiredAccess> {
  const { isConstrained } = mode;
  const verb = isConstrained ? `impersonate:${mode.name}` : "impersonate";
  const access = (group: string, resource: string, name: string, more: Partial<ResourceAttributes> = {}): ResourceAttributes => {
    return { type: "resource", verb, group, resource, namespace: "", subresource: "", name, ...more };
  };
  const own = isConstrained ? AUTHENTICATION : "";
  yield { type: "all", accesses: [identityAccess(mode, impersonated.name, (resource, name, more) => access(own, resource, name, more))] };
  if (impersonated.uid !== "") yield { type: "all", accesses: [access(AUTHENTICATION, "uids", impersonated.uid)] };

  const { groups } = impersonated;
  if (isConstrained && groups.includes("")) {
    yield { type: "never", access: access(own, "groups", ""), reason: "impersonating the empty string group is not allowed" };
  }
  if (isConstrained && groups.includes(MASTERS)) {
    yield { type: "never", access: access(own, "groups", MASTERS), reason: "impersonating the system:masters group is not allowed" };
  }
  yield {
    type: "all",
    accesses: groups.map((group) => access(own, "groups", group)),
    wildcard: isConstrained && groups.length >= WILDCARD_CHECK_THRESHOLD ? access(own, "groups", "*") : undefined,
  };

  const reason = isConstrained ? findExtraError(impersonated.extra) : undefined;
  if (reason !== undefined) yield { type: "never", access: access(AUTHENTICATION, "userextras", ""), reason };
  const extras = [...impersonated.extra].flatMap(([key, values]) => values.map((value) => ({ key, value })));
  yield {
    type: "all",
    accesses: extras.map(({ key, value }) => access(AUTHENTICATION, "userextras", value, { subresource: key })),
    wildcard:
      isConstrained && extras.length >= WILDCARD_CHECK_THRESHOLD
        ? access(AUTHENTICATION, "userextras", "*", { subresource: "*" })
        : undefined,
  };
}

/** Nodes and service accounts are checked as their own resources. */
function identityAccess(
  mode: ImpersonationMode,
  name: string,
  access: (resource: string, name: string, more?: Partial<ResourceAttributes>) => ResourceAttributes,
): ResourceAttributes {
  const node = mode.isConstrained ? parseNodeUsername(name) : undefined;
  if (node !== undefined) return access("nodes", mode.name === ASSOCIATED_NODE ? "*" : node);
  const account = parseServiceAccountUsername(name);
  return account === undefined ? access("users", name) : access("serviceaccounts", account.name, { namespace: account.namespace });
}

function findExtraError(extra: ImpersonatedUser["extra"]): string | undefined {
  for (const [key, values] of extra) {
    if (key === "") return "impersonating the empty string key in extra is not allowed";
    if (!key.includes("/")) {
      const error = fieldError.invalid("extra.key", key, 'must be a domain-prefixed path (such as "acme.io/foo")');
      return `impersonating an invalid key in extra is not allowed: ${formatFieldError(error)}`;
    }
    if (values.includes("")) return "impersonating the empty string value in extra is not allowed";
  }
  return undefined;
}
