import type { Pod } from "pintle/kinds/core/v1";
import type { Query } from "../../api/index.ts";
import { param } from "../../api/index.ts";
import { badRequest } from "../../status/index.ts";

/** The container that is meant, which must be one of the pod's; with a single one it goes without saying. */
export function containerOf({ metadata, spec }: Pod, query: Query): string {
  const wanted = param(query, "container");
  const names = [...(spec.initContainers ?? []), ...spec.containers, ...(spec.ephemeralContainers ?? [])].map(({ name }) => name);
  if (wanted !== "") {
    if (!names.includes(wanted)) throw badRequest(`container ${wanted} is not valid for pod ${metadata.name}`);
    return wanted;
  }
  const [only, ...others] = spec.containers;
  if (only !== undefined && others.length === 0) return only.name;
  throw badRequest(`a container name must be specified for pod ${metadata.name}, choose one of: [${names.join(" ")}]`);
}
