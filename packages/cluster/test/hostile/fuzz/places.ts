import type { ApiServer } from "../../../src/api/index.ts";
import type { Places } from "./requests.ts";

/** Where the kinds that a server serves live. */
export function placesOf({ registry }: Pick<ApiServer, "registry">): Places {
  const places = new Map<string, string>();
  for (const { name: group, versions } of registry.groups()) {
    for (const { version, resources } of versions) {
      const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
      for (const { kind, plural, scope } of resources) {
        const apiVersion = group === "" ? version : `${group}/${version}`;
        places.set(`${apiVersion}/${kind}`, scope === "Cluster" ? `${root}/${plural}` : `${root}/namespaces/default/${plural}`);
      }
    }
  }
  return places;
}
