import type { KindFacts } from "../kinds/index.ts";

export interface Place {
  readonly namespace?: string | undefined;
  /** Absent: the collection. */
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

/** "/apis/apps/v1/namespaces/default/deployments/web/status" */
export function pathOf(kind: KindFacts, place: Place): string {
  let path = groupVersionPath(kind.group, kind.version);
  if (place.namespace !== undefined) {
    if (kind.scope === "Cluster")
      throw new TypeError(`${kind.kind} is cluster-scoped: leave the namespace (${JSON.stringify(place.namespace)}) out`);
    path += `/namespaces/${segment(kind, "namespace", place.namespace)}`;
  } else if (kind.scope === "Namespaced" && place.name !== undefined) {
    throw new TypeError(`${kind.kind} ${JSON.stringify(place.name)}: say which namespace it is in`);
  }
  path += `/${kind.plural}`;
  if (place.name !== undefined) path += `/${segment(kind, "name", place.name)}`;
  return place.subresource === undefined ? path : `${path}/${place.subresource}`;
}

export function groupVersionPath(group: string, version: string): string {
  return group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
}

/** "Deployment default/web", as errors name it. */
export function subjectOf(kind: KindFacts, place: Place): string {
  if (place.name === undefined) return place.namespace === undefined ? kind.kind : `${kind.kind} in ${place.namespace}`;
  return place.namespace === undefined ? `${kind.kind} ${place.name}` : `${kind.kind} ${place.namespace}/${place.name}`;
}

const PLAIN = /^[a-zA-Z0-9-][a-zA-Z0-9.-]*$/;

/** An empty name would turn the deletion of one object into that of all, and ".." would name another place. */
function segment(kind: KindFacts, what: "name" | "namespace", value: string): string {
  if (PLAIN.test(value)) return value;
  if (typeof value !== "string" || value === "" || value === "." || value === ".." || /[/%]/.test(value)) {
    throw new TypeError(`${kind.kind}: ${JSON.stringify(value)} cannot be a ${what}`);
  }
  return encodeURIComponent(value);
}
