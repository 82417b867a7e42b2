import { quoteGoString } from "pintle/internal/go-format";
import { isJsonEqual } from "pintle/internal/merge";
import type { JsonObject } from "pintle/kinds";
import { type AdmissionPlugin, type AdmissionRequest, getMetadata, type ResourceAttributes, withMetadata } from "../../api/index.ts";
import { ApiError, aggregateErrors, badRequest, forbidden, notFound } from "../../status/index.ts";
import { isSystemMaster, type RuleAuthorizer } from "./authorizer.ts";
import type { RbacBinding, RoleRef } from "./binding.ts";
import type { RbacPolicy } from "./policy.ts";
import type { PolicyRule } from "./rule.ts";
import { findUncoveredRules, formatRules, formatStringList } from "./rule-coverage.ts";

const GROUP = "rbac.authorization.k8s.io";
const ROLES = new Set(["roles", "clusterroles"]);
const BINDINGS = new Set(["rolebindings", "clusterrolebindings"]);
const CLUSTER_ADMIN_RULES: readonly PolicyRule[] = [
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
  { verbs: ["*"], nonResourceURLs: ["*"] },
];

/**
 * Admission plugin that prevents privilege escalation: writing a role requires the permissions it grants or the verb `escalate`; writing
 * a binding requires the permissions of the role or the verb `bind`. Runs last among mutating plugins, so that it sees the final object.
 */
export function createEscalationPlugin(authorizer: RuleAuthorizer, policy: RbacPolicy): AdmissionPlugin {
  const isAllowed = ({ user }: AdmissionRequest, access: Omit<ResourceAttributes, "type" | "group" | "subresource">): boolean =>
    authorizer.authorize({ user, info: { type: "resource", group: GROUP, subresource: "", ...access } }).allowed;

  const checkRole = async (request: AdmissionRequest, object: JsonObject): Promise<void> => {
    const { resource, namespace, name, live } = request;
    if (isAllowed(request, { verb: "escalate", resource: resource.plural, namespace, name })) return;
    checkHeld(request, object, (object["rules"] ?? []) as unknown as readonly PolicyRule[]);
    if (object["aggregationRule"] === undefined && live?.["aggregationRule"] === undefined) return;
    if (findUncoveredRules(getHeldRules(request).rules, CLUSTER_ADMIN_RULES).length > 0) {
      throw escalationForbidden(request, object, "must have cluster-admin privileges to use the aggregationRule");
    }
  };
  const checkBinding = async (request: AdmissionRequest, object: JsonObject): Promise<void> => {
    const { namespace } = request;
    const { roleRef } = object as unknown as RbacBinding;
    const resource = ROLE_RESOURCE[roleRef.kind];
    if (resource !== undefined && isAllowed(request, { verb: "bind", resource, namespace, name: roleRef.name })) return;
    checkHeld(request, object, getReferencedRules(request, roleRef));
  };
  const getReferencedRules = ({ resource, namespace }: AdmissionRequest, roleRef: RoleRef): readonly PolicyRule[] => {
    if (ROLE_RESOURCE[roleRef.kind] === undefined)
      throw new ApiError(500, "", `unsupported role reference kind: ${quoteGoString(roleRef.kind)}`);
    if (roleRef.kind === "Role" && namespace === "") throw badRequest("Namespace parameter required.");
    const rules = policy.getRoleRules(roleRef, namespace);
    if (rules === undefined) throw notFound({ group: GROUP, resource: resource.plural }, roleRef.name);
    return rules;
  };
  const getHeldRules = ({ user, namespace }: AdmissionRequest) => authorizer.rulesFor(user, namespace);
  const checkHeld = (request: AdmissionRequest, object: JsonObject, required: readonly PolicyRule[]): void => {
    const { rules, missingRoles } = getHeldRules(request);
    const uncovered = findUncoveredRules(rules, required);
    if (uncovered.length === 0) return;
    const { name, groups } = request.user;
    const errors = missingRoles.map((each) => notFound({ group: GROUP, resource: request.resource.plural }, each.name).message);
    const unresolved = errors.length === 0 ? "" : `; resolution errors: [${aggregateErrors(errors)}]`;
    const reason = `user ${quoteGoString(name)} (groups=${formatStringList(groups)}) is attempting to grant RBAC permissions not currently held:\n`;
    throw escalationForbidden(request, object, `${reason}${formatRules(uncovered)}${unresolved}`);
  };

  const check = async (request: AdmissionRequest, object: JsonObject): Promise<undefined> => {
    const { resource, live } = request;
    if (live !== undefined && isGarbageCollectorUpdate(object, live)) return;
    if (ROLES.has(resource.plural)) await checkRole(request, object);
    else if (BINDINGS.has(resource.plural)) await checkBinding(request, object);
  };

  return {
    name: "RBACEscalation",
    admit(request) {
      const { resource, subresource, object, user } = request;
      const concerns = resource.group === GROUP && subresource === "" && !isSystemMaster(user);
      return concerns && object !== undefined ? check(request, object) : undefined;
    },
  };
}

const ROLE_RESOURCE: Readonly<Record<string, string>> = { Role: "roles", ClusterRole: "clusterroles" };

function escalationForbidden({ resource }: AdmissionRequest, object: JsonObject, reason: string): ApiError {
  return forbidden({ group: GROUP, resource: resource.plural }, getMetadata(object).name ?? "", reason);
}

/** Whether only ownerReferences and finalizers change, which the garbage collector may do on any object. */
function isGarbageCollectorUpdate(object: JsonObject, live: JsonObject): boolean {
  const withoutOwnership = (each: JsonObject) =>
    withMetadata(each, { ownerReferences: undefined, finalizers: undefined, managedFields: undefined, resourceVersion: undefined });
  return isJsonEqual(withoutOwnership(object), withoutOwnership(live));
}
