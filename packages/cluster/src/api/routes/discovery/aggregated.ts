import type { ResourceRegistry, ServedVersion } from "../../registry/registry.ts";
import type { ServedResource, Subresource, Verb } from "../../registry/served-resource.ts";

export type DiscoveryVersion = "v2" | "v2beta1";

/** Builds /api or /apis as one document. */
export function buildAggregatedDiscovery(registry: ResourceRegistry, core: boolean, version: DiscoveryVersion) {
  return {
    kind: "APIGroupDiscoveryList",
    apiVersion: `apidiscovery.k8s.io/${version}`,
    metadata: {},
    items: registry
      .groups()
      .filter((group) => (group.name === "") === core)
      .map((group) => ({ metadata: core ? {} : { name: group.name }, versions: group.versions.map(buildVersion) })),
  };
}

function buildVersion({ version, resources }: ServedVersion) {
  return { version, resources: resources.map(buildResource), freshness: "Current" };
}

function buildResource(resource: ServedResource) {
  const { kind, plural, singular, scope, shortNames, categories, subresources } = resource;
  return {
    resource: plural,
    responseKind: omitInheritedGroupVersion(resource, { group: resource.group, version: resource.version, kind }),
    scope,
    singularResource: singular,
    verbs: getServedVerbs(resource),
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    ...(subresources.length === 0 ? {} : { subresources: subresources.map((each) => buildSubresource(resource, each)) }),
  };
}

function buildSubresource(resource: ServedResource, subresource: Subresource) {
  return {
    subresource: subresource.name,
    responseKind: omitInheritedGroupVersion(resource, getResponseKind(resource, subresource)),
    verbs: getSubresourceVerbs(subresource),
  };
}

/** Built-in kinds do not repeat their group and version. */
function omitInheritedGroupVersion({ typed, group, version }: ServedResource, kind: ReturnType<typeof getResponseKind>) {
  return typed && kind.group === group && kind.version === version ? { ...kind, group: "", version: "" } : kind;
}

export function getResponseKind({ group, version, kind }: ServedResource, subresource: Subresource) {
  if (subresource.type === "scale") return { group: "autoscaling", version: "v1", kind: "Scale" };
  if (subresource.type === "connect") return { group, version, kind: subresource.kind };
  if (subresource.type !== "action") return { group, version, kind };
  const { accepts } = subresource;
  return { group: accepts.group, version: accepts.version, kind: accepts.kind };
}

export function getSubresourceVerbs(subresource: Subresource): readonly Verb[] {
  return (subresource.type === "scale" ? undefined : subresource.verbs) ?? ["get", "patch", "update"];
}

/** A CRD that is being deleted serves no writes. */
export function getServedVerbs({ verbs, terminating }: ServedResource): readonly Verb[] {
  return terminating ? verbs.filter((verb) => verb !== "create" && verb !== "patch" && verb !== "update") : verbs;
}
