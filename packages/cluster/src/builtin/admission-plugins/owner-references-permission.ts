import { isJsonEqual } from "pintle/internal/merge";
import type { OwnerReference } from "pintle/kinds";
import { type AdmissionPlugin, type AdmissionRequest, type Authorizer, getMetadata } from "../../api/index.ts";
import { createForbiddenError } from "./resource-plugin.ts";

/**
 * Requires permission to delete the object in order to change its owner references, and to update the owner's
 * finalizers in order to set blockOwnerDeletion.
 */
export function createOwnerReferencesPermissionPlugin(authorizer: Authorizer): AdmissionPlugin {
  const authorizeAccess = ({ user }: AdmissionRequest, verb: string, what: Partial<ResourceAccess>) => {
    const nothing = { group: "", resource: "", subresource: "", namespace: "", name: "" };
    return authorizer.authorize({ user, info: { type: "resource", verb, ...nothing, ...what } });
  };
  const checkOwners = async (
    request: AdmissionRequest,
    owners: readonly OwnerReference[],
    before: readonly OwnerReference[],
  ): Promise<void> => {
    const { resource, subresource, namespace, name } = request;
    if (request.operation !== "CREATE") {
      const { allowed, reason = "" } = authorizeAccess(request, "delete", {
        group: resource.group,
        resource: resource.plural,
        subresource,
        namespace,
        name,
      });
      if (!allowed) throw createForbiddenError(request, `cannot set an ownerRef on a resource you can't delete: ${reason}, <nil>`);
    }
    const held = new Set(before.filter(({ blockOwnerDeletion }) => blockOwnerDeletion).map(({ uid }) => uid));
    const holding = owners.filter(({ blockOwnerDeletion, uid }) => blockOwnerDeletion && !held.has(uid));
    if (holding.length === 0) return;
    if (authorizeAccess(request, "update", { group: "*", resource: "*", subresource: "finalizers", name: "*" }).allowed) return;
    for (const owner of holding) checkOwner(request, owner);
  };
  const checkOwner = (request: AdmissionRequest, { apiVersion, kind, name }: OwnerReference): void => {
    const owner = request.lookup.findResource(apiVersion, kind);
    if (owner === undefined) {
      const [group, version] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion];
      const why = `no matches for kind "${kind}" in version "${group === "" ? version : `${group}/${version}`}"`;
      const what = `cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion ${apiVersion} Kind ${kind}`;
      throw createForbiddenError(request, `${what}: ${why}`);
    }
    const namespace = owner.scope === "Namespaced" ? request.namespace : "";
    const access = { group: owner.group, resource: owner.plural, subresource: "finalizers", namespace, name };
    const { allowed, reason = "" } = authorizeAccess(request, "update", access);
    if (allowed) return;
    const what = "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on";
    throw createForbiddenError(request, `${what}: ${reason}, <nil>`);
  };
  return {
    name: "OwnerReferencesPermissionEnforcement",
    validate(request) {
      const { object, live, resource, subresource } = request;
      if (object === undefined || (resource.plural === "pods" && subresource === "status")) return undefined;
      const owners = getMetadata(object).ownerReferences ?? [];
      const before = live === undefined ? [] : (getMetadata(live).ownerReferences ?? []);
      return isJsonEqual(owners as never, before as never) ? undefined : checkOwners(request, owners, before);
    },
  };
}

interface ResourceAccess {
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}
