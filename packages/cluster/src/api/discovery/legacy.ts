import type { Registry, ServedGroup, ServedVersion } from "../registry.ts";
import { apiVersionOf, type ServedResource } from "../resource.ts";
import { responseKind, servedVerbs, subresourceVerbs } from "./aggregated.ts";

/** /api */
export function apiVersions(registry: Registry, address: string) {
  const core = registry.groups().find((group) => group.name === "");
  return {
    kind: "APIVersions",
    versions: core?.versions.map((each) => each.version) ?? [],
    serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress: address }],
  };
}

/** /apis */
export function apiGroupList(registry: Registry) {
  const named = registry.groups().filter((group) => group.name !== "");
  return { kind: "APIGroupList", apiVersion: "v1", groups: named.map(groupEntry) };
}

/** /apis/<group> */
export function apiGroup(group: ServedGroup) {
  return { kind: "APIGroup", apiVersion: "v1", ...groupEntry(group) };
}

function groupEntry({ name, versions }: ServedGroup) {
  const entries = versions.map(({ version }) => ({ groupVersion: apiVersionOf({ group: name, version }), version }));
  return { name, versions: entries, preferredVersion: entries[0] };
}

/** /api/v1 and /apis/<group>/<version> */
export function apiResourceList(group: string, { version, resources }: ServedVersion) {
  return {
    kind: "APIResourceList",
    // Upstream says so for named groups, and leaves it out for core.
    ...(group === "" ? {} : { apiVersion: "v1" }),
    groupVersion: apiVersionOf({ group, version }),
    resources: resources.flatMap(resourceEntries),
  };
}

function resourceEntries(resource: ServedResource) {
  const { plural, singular, scope, kind, shortNames, categories, storageVersionHash } = resource;
  const namespaced = scope === "Namespaced";
  const main = {
    name: plural,
    singularName: singular,
    namespaced,
    kind,
    verbs: servedVerbs(resource),
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    ...(storageVersionHash === undefined ? {} : { storageVersionHash }),
  };
  const parts = resource.subresources.map((subresource) => {
    const response = responseKind(resource, subresource);
    const elsewhere = response.group !== resource.group || response.version !== resource.version;
    return {
      name: `${plural}/${subresource.name}`,
      singularName: "",
      namespaced,
      ...(elsewhere ? { group: response.group, version: response.version } : {}),
      kind: response.kind,
      verbs: subresourceVerbs(subresource),
    };
  });
  return [main, ...parts];
}
