import { InvalidArgumentError } from "../../errors/index.ts";
import type { KindInfo } from "../../kinds/index.ts";

/** The parts of a resource path below the group-version. */
export interface ResourcePath {
  readonly namespace?: string | undefined;
  /** Absent for the collection. */
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

/** Formats a resource path: "/apis/apps/v1/namespaces/default/deployments/web/status". */
export function formatPath(kind: KindInfo, target: ResourcePath): string {
  let path = formatGroupVersionPath(kind.group, kind.version);
  if (target.namespace !== undefined) {
    if (kind.scope === "Cluster")
      throw new InvalidArgumentError(
        "PINTLE1051",
        `${kind.kind} is cluster-scoped: leave the namespace (${JSON.stringify(target.namespace)}) out`,
      );
    path += `/namespaces/${encodePathSegment(kind, "namespace", target.namespace)}`;
  } else if (kind.scope === "Namespaced" && target.name !== undefined) {
    throw new InvalidArgumentError("PINTLE1050", `${kind.kind} ${JSON.stringify(target.name)}: namespace is missing`);
  }
  path += `/${kind.plural}`;
  if (target.name !== undefined) path += `/${encodePathSegment(kind, "name", target.name)}`;
  return target.subresource === undefined ? path : `${path}/${target.subresource}`;
}

/** Formats the path of a group-version: "/apis/apps/v1", "/api/v1". */
export function formatGroupVersionPath(group: string, version: string): string {
  return group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
}

/** Formats an object for error messages: "Deployment default/web". */
export function formatSubject(kind: KindInfo, target: ResourcePath): string {
  if (target.name === undefined) return target.namespace === undefined ? kind.kind : `${kind.kind} in ${target.namespace}`;
  return target.namespace === undefined ? `${kind.kind} ${target.name}` : `${kind.kind} ${target.namespace}/${target.name}`;
}

const SAFE_SEGMENT = /^[a-zA-Z0-9-][a-zA-Z0-9.-]*$/;

/** An empty name would turn the deletion of one object into that of a collection, and ".." would address another path. */
function encodePathSegment(kind: KindInfo, what: "name" | "namespace", value: string): string {
  if (SAFE_SEGMENT.test(value)) return value;
  if (typeof value !== "string" || value === "" || value === "." || value === ".." || /[/%]/.test(value)) {
    throw new InvalidArgumentError("PINTLE1052", `${kind.kind}: ${JSON.stringify(value)} cannot be a ${what}`);
  }
  return encodeURIComponent(value);
}
