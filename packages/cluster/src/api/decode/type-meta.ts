import type { JsonObject } from "pintle/kinds";
import { fieldError, invalid } from "../../status/index.ts";
import { getMetadata } from "../metadata/object-meta.ts";
import { formatApiVersion, type ServedResource } from "../registry/served-resource.ts";

/** Throws 422 if a patch changed the kind or apiVersion of an object. */
export function validateTypeMeta(resource: ServedResource, object: JsonObject): void {
  const { kind, apiVersion } = object;
  const expected = formatApiVersion(resource);
  const errors = [];
  if (kind !== resource.kind) errors.push(fieldError.invalid("kind", kind, `must be ${resource.kind}`));
  if (apiVersion !== expected) errors.push(fieldError.invalid("apiVersion", apiVersion, `must be ${expected}`));
  if (errors.length > 0) throw invalid({ group: resource.group, resource: String(kind) }, getMetadata(object).name ?? "", errors);
}

/** Formats the Go type as conversion errors do: `core.ConfigMap`. */
export function formatGoType({ group, kind }: Pick<ServedResource, "group" | "kind">): string {
  return `${group === "" ? "core" : group.split(".")[0]}.${kind}`;
}

/** Formats the scheme's error for an unknown kind. */
export function formatNotRegistered(apiVersion: string, kind: string): string {
  return `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`;
}

/** The Go struct that kube-apiserver decodes kind and apiVersion with. */
export const GO_TYPE_META = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
