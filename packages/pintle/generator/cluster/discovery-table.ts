import type { ApiResource, PublishedDocuments } from "../input/documents.ts";
import { renderTable } from "./table.ts";

/**
 * Renders one line of JSON per group-version, in the API server's order (the core group first, then by priority, preferred version first):
 * group, version, priorities and resources.
 */
export function discoveryTable(published: PublishedDocuments): string {
  const ordered = ["v1", ...published.groups.flatMap((group) => group.versions.map(({ groupVersion }) => groupVersion))];
  const lines = ordered.map((groupVersion) => {
    const [version, group = ""] = groupVersion.split("/").reverse() as [string, string?];
    const list = published.resources.get(groupVersion);
    if (list === undefined) throw new Error(`${groupVersion} is in the list of groups, but its APIResourceList is missing`);
    return JSON.stringify({ group, version, ...prioritiesOf(group, version, published), resources: resourcesOf(list.resources) });
  });
  return renderTable(published, "discovery", lines);
}

/** Returns the resources with their subresources, in the API server's order. */
function resourcesOf(all: readonly ApiResource[]): readonly unknown[] {
  return all
    .filter(({ name }) => !name.includes("/"))
    .map(({ name, ...resource }) => ({
      name,
      ...resource,
      subresources: all
        .filter((each) => each.name.startsWith(`${name}/`))
        .map(({ name: full, kind, group, version, verbs, singularName: _, namespaced: __, ...rest }) => {
          if (Object.keys(rest).length > 0) throw new Error(`${full}: the table cannot store ${Object.keys(rest).join(", ")}`);
          return { name: full.slice(name.length + 1), kind, ...(group === undefined ? {} : { group, version }), verbs };
        }),
    }));
}

/** The aggregator serves the group of APIServices itself, before all others and without an APIService. */
const AGGREGATOR = { groupPriority: 20001, versionPriority: 0 };

function prioritiesOf(group: string, version: string, published: PublishedDocuments): object {
  if (group === "apiregistration.k8s.io") return AGGREGATOR;
  const service = published.services.find(({ spec }) => (spec.group ?? "") === group && spec.version === version);
  if (service === undefined)
    throw new Error(`The APIService of ${group === "" ? version : `${group}/${version}`} is missing: it contains the priorities`);
  return { groupPriority: service.spec.groupPriorityMinimum, versionPriority: service.spec.versionPriority };
}
