import type { ApiServer } from "../../../src/api/index.ts";
import type { ResourcePaths } from "./mutated-requests.ts";

/** Collects the paths of all served kinds. */
export function collectResourcePaths({ registry }: Pick<ApiServer, "registry">): ResourcePaths {
  const paths = new Map<string, string>();
  for (const { name: group, versions } of registry.groups()) {
    for (const { version, resources } of versions) {
      const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
      for (const { kind, plural, scope } of resources) {
        const apiVersion = group === "" ? version : `${group}/${version}`;
        paths.set(`${apiVersion}/${kind}`, scope === "Cluster" ? `${root}/${plural}` : `${root}/namespaces/default/${plural}`);
      }
    }
  }
  return paths;
}
