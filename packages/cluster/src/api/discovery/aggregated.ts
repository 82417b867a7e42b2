import type { Registry, ServedVersion } from "../registry.ts";
import type { ServedResource, Subresource, Verb } from "../resource.ts";

export type DiscoveryVersion = "v2" | "v2beta1";

/** /api or /apis in one document. */
export function aggregatedDiscovery(registry: Registry, core: boolean, version: DiscoveryVersion) {
  return {
    kind: "APIGroupDiscoveryList",
    apiVersion: `apidiscovery.k8s.io/${version}`,
    metadata: {},
    items: registry
      .groups()
      .filter((group) => (group.name === "") === core)
      .map((group) => ({ metadata: core ? {} : { name: group.name }, versions: group.versions.map(versionEntry) })),
  };
}

function versionEntry({ version, resources }: ServedVersion) {
  return { version, resources: resources.map(resourceEntry), freshness: "Current" };
}

function resourceEntry(resource: ServedResource) {
  const { kind, plural, singular, scope, shortNames, categories, subresources } = resource;
  return {
    resource: plural,
    responseKind: shown(resource, { group: resource.group, version: resource.version, kind }),
    scope,
    singularResource: singular,
    verbs: servedVerbs(resource),
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    ...(subresources.length === 0 ? {} : { subresources: subresources.map((each) => subresourceEntry(resource, each)) }),
  };
}

function subresourceEntry(resource: ServedResource, subresource: Subresource) {
  return {
    subresource: subresource.name,
    responseKind: shown(resource, responseKind(resource, subresource)),
    verbs: subresourceVerbs(subresource),
  };
}

/** Built-in kinds do not repeat the group and version they are in. */
function shown({ typed, group, version }: ServedResource, kind: ReturnType<typeof responseKind>) {
  return typed && kind.group === group && kind.version === version ? { ...kind, group: "", version: "" } : kind;
}

export function responseKind({ group, version, kind }: ServedResource, subresource: Subresource) {
  if (subresource.type === "scale") return { group: "autoscaling", version: "v1", kind: "Scale" };
  if (subresource.type === "connect") return { group, version, kind: subresource.kind };
  if (subresource.type !== "action") return { group, version, kind };
  const { accepts } = subresource;
  return { group: accepts.group, version: accepts.version, kind: accepts.kind };
}

export function subresourceVerbs(subresource: Subresource): readonly Verb[] {
  return (subresource.type === "scale" ? undefined : subresource.verbs) ?? ["get", "patch", "update"];
}

/** While its CRD goes, nothing should be written any more. */
export function servedVerbs({ verbs, terminating }: ServedResource): readonly Verb[] {
  return terminating ? verbs.filter((verb) => verb !== "create" && verb !== "patch" && verb !== "update") : verbs;
}
