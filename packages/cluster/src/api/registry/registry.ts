import type { ServedResource } from "./served-resource.ts";
import { compareVersions } from "./version-order.ts";

/** The resources that the server serves. Each source is replaced as a whole: the built-in kinds, and every CRD. */
export interface ResourceRegistry {
  /** Finds one version of a resource. */
  find(group: string, version: string, plural: string): ServedResource | undefined;
  /** All versions of one resource, the preferred first. */
  versionsOf(group: string, plural: string): readonly ServedResource[];
  /** In the order of discovery. */
  groups(): readonly ServedGroup[];
  /** Replaces the resources of `source`; an empty list removes it. Takes effect at once. */
  set(source: string, resources: readonly ServedResource[]): void;
  /** Increases with every `set`, for caches of values derived from the registry. */
  readonly generation: number;
  /** Calls after every `set`, until the returned function is called. */
  onChange(listener: () => void): () => void;
}

/** An API group with the versions that are served. */
export interface ServedGroup {
  /** The group; empty for core kinds. */
  readonly name: string;
  /** The preferred first. */
  readonly versions: readonly ServedVersion[];
}

/** A version of an API group with its resources. */
export interface ServedVersion {
  /** The version: "v1". */
  readonly version: string;
  /** Its resources, by plural. */
  readonly resources: readonly ServedResource[];
}

export function createRegistry(): ResourceRegistry {
  // Sources in order of appearance: groups of the first come first, others follow by name.
  const sources = new Map<string, readonly ServedResource[]>();
  let index = new Map<string, ServedResource>();
  let versionsByResource = new Map<string, readonly ServedResource[]>();
  let groups: readonly ServedGroup[] = [];
  let generation = 0;
  const listeners = new Set<() => void>();
  const id = (group: string, version: string, plural: string) => `${group}/${version}/${plural}`;

  return {
    find: (group, version, plural) => index.get(id(group, version, plural)),
    versionsOf: (group, plural) => versionsByResource.get(`${group}/${plural}`) ?? [],
    groups: () => groups,
    get generation() {
      return generation;
    },
    set(source, resources) {
      if (resources.length === 0) sources.delete(source);
      else sources.set(source, resources);
      generation++;
      index = new Map([...sources.values()].flat().map((each) => [id(each.group, each.version, each.plural), each]));
      groups = groupResources([...sources.values()]);
      versionsByResource = indexVersions(groups);
      for (const listener of [...listeners]) listener();
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** All versions of each resource, by "group/plural". */
function indexVersions(groups: readonly ServedGroup[]): Map<string, readonly ServedResource[]> {
  const families = new Map<string, ServedResource[]>();
  for (const resource of groups.flatMap(({ versions }) => versions.flatMap(({ resources }) => resources))) {
    const family = `${resource.group}/${resource.plural}`;
    families.set(family, [...(families.get(family) ?? []), resource]);
  }
  return families;
}

function groupResources(sources: readonly (readonly ServedResource[])[]): ServedGroup[] {
  const [first = [], ...others] = sources;
  const order = [...new Set(first.map((each) => each.group))];
  const more = new Set(others.flat().map((each) => each.group));
  for (const name of [...more].sort()) if (!order.includes(name)) order.push(name);
  const all = sources.flat();
  return order.map((name) => {
    const mine = all.filter((each) => each.group === name);
    const versions = [...new Set(mine.map((each) => each.version))].sort(compareVersions);
    return {
      name,
      versions: versions.map((version) => ({
        version,
        resources: mine.filter((each) => each.version === version).sort((a, b) => (a.plural < b.plural ? -1 : 1)),
      })),
    };
  });
}

/** Whether a group has built-in kinds. */
export function isBuiltInGroup(registry: ResourceRegistry, group: string): boolean {
  return registry
    .groups()
    .some(({ name, versions }) => name === group && versions.some(({ resources }) => resources.some(({ typed }) => typed)));
}
