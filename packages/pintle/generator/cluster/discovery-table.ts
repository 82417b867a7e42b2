import type { ApiResource, Documents } from "../documents.ts";
import { table } from "./table.ts";

/**
 * One line per group-version, in the order the server lists them (the core group first, then by priority, preferred
 * version first): group, version, the priorities behind that order, and resources, as JSON.
 */
export function discoveryTable(published: Documents): string {
  const ordered = ["v1", ...published.groups.flatMap((group) => group.versions.map(({ groupVersion }) => groupVersion))];
  const lines = ordered.map((groupVersion) => {
    const [version, group = ""] = groupVersion.split("/").reverse() as [string, string?];
    const list = published.resources.get(groupVersion);
    if (list === undefined) throw new Error(`${groupVersion} is in the list of groups, but its resources are missing`);
    return JSON.stringify({ group, version, ...prioritiesOf(group, version, published), resources: resourcesOf(list.resources) });
  });
  return table(published, "discovery", lines);
}

/** Subresources below their resource, everything in the server's order. */
function resourcesOf(all: readonly ApiResource[]): readonly unknown[] {
  return all
    .filter(({ name }) => !name.includes("/"))
    .map(({ name, ...resource }) => ({
      name,
      ...resource,
      subresources: all
        .filter((each) => each.name.startsWith(`${name}/`))
        .map(({ name: full, kind, group, version, verbs, singularName: _, namespaced: __, ...rest }) => {
          if (Object.keys(rest).length > 0) throw new Error(`${full}: the table has no place for ${Object.keys(rest).join(", ")}`);
          return { name: full.slice(name.length + 1), kind, ...(group === undefined ? {} : { group, version }), verbs };
        }),
    }));
}

/** The group of APIServices is served by the aggregator itself, before all others and without an APIService. */
const AGGREGATOR = { groupPriority: 20001, versionPriority: 0 };

function prioritiesOf(group: string, version: string, published: Documents): object {
  if (group === "apiregistration.k8s.io") return AGGREGATOR;
  const service = published.services.find(({ spec }) => (spec.group ?? "") === group && spec.version === version);
  if (service === undefined)
    throw new Error(`The APIService of ${group === "" ? version : `${group}/${version}`} is missing: it tells the priorities`);
  return { groupPriority: service.spec.groupPriorityMinimum, versionPriority: service.spec.versionPriority };
}
