import type { ResourceRegistry, ServedGroup, ServedVersion } from "../../registry/registry.ts";
import { formatApiVersion, type ServedResource } from "../../registry/served-resource.ts";
import { getResponseKind, getServedVerbs, getSubresourceVerbs } from "./aggregated.ts";

/** Builds /api. */
export function buildApiVersions(registry: ResourceRegistry, address: string) {
  const core = registry.groups().find((group) => group.name === "");
  return {
    kind: "APIVersions",
    versions: core?.versions.map((each) => each.version) ?? [],
    serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress: address }],
  };
}

/** Builds /apis. */
export function buildApiGroupList(registry: ResourceRegistry) {
  const named = registry.groups().filter((group) => group.name !== "");
  return { kind: "APIGroupList", apiVersion: "v1", groups: named.map(buildGroup) };
}

/** Builds /apis/<group>. */
export function buildApiGroup(group: ServedGroup) {
  return { kind: "APIGroup", apiVersion: "v1", ...buildGroup(group) };
}

function buildGroup({ name, versions }: ServedGroup) {
  const entries = versions.map(({ version }) => ({ groupVersion: formatApiVersion({ group: name, version }), version }));
  return { name, versions: entries, preferredVersion: entries[0] };
}

/** Builds /api/v1 and /apis/<group>/<version>. */
export function buildApiResourceList(group: string, { version, resources }: ServedVersion) {
  return {
    kind: "APIResourceList",
    // kube-apiserver has this field for named groups only.
    ...(group === "" ? {} : { apiVersion: "v1" }),
    groupVersion: formatApiVersion({ group, version }),
    resources: resources.flatMap(buildResources),
  };
}

function buildResources(resource: ServedResource) {
  const { plural, singular, scope, kind, shortNames, categories, storageVersionHash } = resource;
  const namespaced = scope === "Namespaced";
  const main = {
    name: plural,
    singularName: singular,
    namespaced,
    kind,
    verbs: getServedVerbs(resource),
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    ...(storageVersionHash === undefined ? {} : { storageVersionHash }),
  };
  const parts = resource.subresources.map((subresource) => {
    const response = getResponseKind(resource, subresource);
    const elsewhere = response.group !== resource.group || response.version !== resource.version;
    return {
      name: `${plural}/${subresource.name}`,
      singularName: "",
      namespaced,
      ...(elsewhere ? { group: response.group, version: response.version } : {}),
      kind: response.kind,
      verbs: getSubresourceVerbs(subresource),
    };
  });
  return [main, ...parts];
}
