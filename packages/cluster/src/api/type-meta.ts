import type { JsonObject } from "pintle/kinds";
import { fieldError, invalid } from "../status/index.ts";
import { metadataOf } from "./metadata/metadata.ts";
import { apiVersionOf, type ServedResource } from "./resource.ts";

/** A patch can change what an object says it is; it stays what the URL says. Throws 422. */
export function checkType(resource: ServedResource, object: JsonObject): void {
  const { kind, apiVersion } = object;
  const expected = apiVersionOf(resource);
  const errors = [];
  if (kind !== resource.kind) errors.push(fieldError.invalid("kind", kind, `must be ${resource.kind}`));
  if (apiVersion !== expected) errors.push(fieldError.invalid("apiVersion", apiVersion, `must be ${expected}`));
  if (errors.length > 0) throw invalid({ group: resource.group, resource: String(kind) }, metadataOf(object).name ?? "", errors);
}

/** The package of the Go type, as conversion errors name it: `core.ConfigMap`. */
export function goType({ group, kind }: Pick<ServedResource, "group" | "kind">): string {
  return `${group === "" ? "core" : group.split(".")[0]}.${kind}`;
}

/** What the scheme says about a kind it does not have. */
export function notRegistered(apiVersion: string, kind: string): string {
  return `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`;
}

/** The struct that upstream reads a body's kind with, as its decoder names it. */
export const TYPE_META = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
