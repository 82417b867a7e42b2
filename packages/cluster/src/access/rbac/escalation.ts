import type { JsonObject } from "pintle/kinds";
import { equal } from "pintle/merge";
import { type AdmissionPlugin, type AdmissionRequest, metadataOf, type ResourceAccess, withMetadata } from "../../api/index.ts";
import { ApiError, badRequest, forbidden, goQuote, notFound } from "../../status/index.ts";
import { aggregate, isMaster, type RuleAuthorizer } from "./authorizer.ts";
import type { Binding, RoleRef } from "./binding.ts";
import { listText, rulesText, uncovered } from "./covers.ts";
import type { Policy } from "./policy.ts";
import type { PolicyRule } from "./rule.ts";

const GROUP = "rbac.authorization.k8s.io";
const ROLES = new Set(["roles", "clusterroles"]);
const BINDINGS = new Set(["rolebindings", "clusterrolebindings"]);
const FULL: readonly PolicyRule[] = [
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
  { verbs: ["*"], nonResourceURLs: ["*"] },
];

/**
 * Nobody hands out more than they hold: who writes a role must hold what it grants, or may `escalate` it; who binds one
 * must hold what it grants, or may `bind` it. The last link that may change objects, so that it sees them as they will be.
 */
export function escalation(authorizer: RuleAuthorizer, policy: Policy): AdmissionPlugin {
  const may = async ({ user }: AdmissionRequest, access: Omit<ResourceAccess, "type" | "group" | "subresource">): Promise<boolean> =>
    (await authorizer.authorize({ user, info: { type: "resource", group: GROUP, subresource: "", ...access } })).allowed;

  const role = async (request: AdmissionRequest, object: JsonObject): Promise<void> => {
    const { resource, namespace, name, live } = request;
    if (await may(request, { verb: "escalate", resource: resource.plural, namespace, name })) return;
    holds(request, object, (object["rules"] ?? []) as unknown as readonly PolicyRule[]);
    if (object["aggregationRule"] === undefined && live?.["aggregationRule"] === undefined) return;
    if (uncovered(heldBy(request).rules, FULL).length > 0) {
      throw refusal(request, object, "must have cluster-admin privileges to use the aggregationRule");
    }
  };
  const binding = async (request: AdmissionRequest, object: JsonObject): Promise<void> => {
    const { namespace } = request;
    const { roleRef } = object as unknown as Binding;
    const resource = ROLE_RESOURCE[roleRef.kind];
    if (resource !== undefined && (await may(request, { verb: "bind", resource, namespace, name: roleRef.name }))) return;
    holds(request, object, referred(request, roleRef));
  };
  const referred = ({ resource, namespace }: AdmissionRequest, roleRef: RoleRef): readonly PolicyRule[] => {
    if (ROLE_RESOURCE[roleRef.kind] === undefined) throw new ApiError(500, "", `unsupported role reference kind: ${goQuote(roleRef.kind)}`);
    if (roleRef.kind === "Role" && namespace === "") throw badRequest("Namespace parameter required.");
    const rules = policy.rulesOf(roleRef, namespace);
    if (rules === undefined) throw notFound({ group: GROUP, resource: resource.plural }, roleRef.name);
    return rules;
  };
  const heldBy = ({ user, namespace }: AdmissionRequest) => authorizer.rulesFor(user, namespace);
  const holds = (request: AdmissionRequest, object: JsonObject, wanted: readonly PolicyRule[]): void => {
    const { rules, missing } = heldBy(request);
    const lacking = uncovered(rules, wanted);
    if (lacking.length === 0) return;
    const { name, groups } = request.user;
    const errors = missing.map((each) => notFound({ group: GROUP, resource: request.resource.plural }, each.name).message);
    const unresolved = errors.length === 0 ? "" : `; resolution errors: [${aggregate(errors)}]`;
    const why = `user ${goQuote(name)} (groups=${listText(groups)}) is attempting to grant RBAC permissions not currently held:\n`;
    throw refusal(request, object, `${why}${rulesText(lacking)}${unresolved}`);
  };

  const check = async (request: AdmissionRequest, object: JsonObject): Promise<undefined> => {
    const { resource, live } = request;
    if (live !== undefined && onlyForCollection(object, live)) return;
    if (ROLES.has(resource.plural)) await role(request, object);
    else if (BINDINGS.has(resource.plural)) await binding(request, object);
  };

  return {
    name: "RBACEscalation",
    admit(request) {
      const { resource, subresource, object, user } = request;
      const concerns = resource.group === GROUP && subresource === "" && !isMaster(user);
      return concerns && object !== undefined ? check(request, object) : undefined;
    },
  };
}

const ROLE_RESOURCE: Readonly<Record<string, string>> = { Role: "roles", ClusterRole: "clusterroles" };

function refusal({ resource }: AdmissionRequest, object: JsonObject, why: string): ApiError {
  return forbidden({ group: GROUP, resource: resource.plural }, metadataOf(object).name ?? "", why);
}

/** Owners and finalizers alone change, which the garbage collector does with objects of any right. */
function onlyForCollection(object: JsonObject, live: JsonObject): boolean {
  const rest = (each: JsonObject) =>
    withMetadata(each, { ownerReferences: undefined, finalizers: undefined, managedFields: undefined, resourceVersion: undefined });
  return equal(rest(object), rest(live));
}
