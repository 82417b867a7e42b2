import type { OwnerReference } from "pintle/kinds";
import { equal } from "pintle/merge";
import { type AdmissionPlugin, type AdmissionRequest, type Authorizer, metadataOf } from "../../api/index.ts";
import { refusal } from "./plugin.ts";

/** Whoever makes others depend must be allowed to delete what depends, and, to hold owners back, to hold those. */
export function ownerReferencesPermission(authorizer: Authorizer): AdmissionPlugin {
  const may = async ({ user }: AdmissionRequest, verb: string, what: Partial<Access>) => {
    const nothing = { group: "", resource: "", subresource: "", namespace: "", name: "" };
    return authorizer.authorize({ user, info: { type: "resource", verb, ...nothing, ...what } });
  };
  const check = async (request: AdmissionRequest, owners: readonly OwnerReference[], before: readonly OwnerReference[]): Promise<void> => {
    const { resource, subresource, namespace, name } = request;
    if (request.operation !== "CREATE") {
      const { allowed, reason = "" } = await may(request, "delete", {
        group: resource.group,
        resource: resource.plural,
        subresource,
        namespace,
        name,
      });
      if (!allowed) throw refusal(request, `cannot set an ownerRef on a resource you can't delete: ${reason}, <nil>`);
    }
    const held = new Set(before.filter(({ blockOwnerDeletion }) => blockOwnerDeletion).map(({ uid }) => uid));
    const holding = owners.filter(({ blockOwnerDeletion, uid }) => blockOwnerDeletion && !held.has(uid));
    if (holding.length === 0) return;
    if ((await may(request, "update", { group: "*", resource: "*", subresource: "finalizers", name: "*" })).allowed) return;
    for (const owner of holding) await checkOwner(request, owner);
  };
  const checkOwner = async (request: AdmissionRequest, { apiVersion, kind, name }: OwnerReference): Promise<void> => {
    const owner = request.lookup.served(apiVersion, kind);
    if (owner === undefined) {
      const [group, version] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion];
      const why = `no matches for kind "${kind}" in version "${group === "" ? version : `${group}/${version}`}"`;
      const what = `cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion ${apiVersion} Kind ${kind}`;
      throw refusal(request, `${what}: ${why}`);
    }
    const namespace = owner.scope === "Namespaced" ? request.namespace : "";
    const access = { group: owner.group, resource: owner.plural, subresource: "finalizers", namespace, name };
    const { allowed, reason = "" } = await may(request, "update", access);
    if (allowed) return;
    const what = "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on";
    throw refusal(request, `${what}: ${reason}, <nil>`);
  };
  return {
    name: "OwnerReferencesPermissionEnforcement",
    validate(request) {
      const { object, live, resource, subresource } = request;
      if (object === undefined || (resource.plural === "pods" && subresource === "status")) return undefined;
      const owners = metadataOf(object).ownerReferences ?? [];
      const before = live === undefined ? [] : (metadataOf(live).ownerReferences ?? []);
      return equal(owners as never, before as never) ? undefined : check(request, owners, before);
    },
  };
}

interface Access {
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}
