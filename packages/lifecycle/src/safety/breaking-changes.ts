import { isJsonObject, type Json, type JsonObject, stringifyJson } from "pintle/internal/json";

/** A CRD change after which the API server would reject stored objects or drop some of their fields. */
export interface BreakingChange {
  /** Version and field ("v1 spec.size"), or a field of the CRD ("spec.scope"). */
  readonly field: string;
  /** The schema keyword or CRD field that changed: "maximum". */
  readonly keyword: string;
  readonly detail: string;
}

/**
 * Returns every breaking change from the released CRD to the new one: what the API server would reject in stored objects, or drop from them. It is
 * less strict than `checkCrdUpgrade`, which also refuses what it does not know to be safe.
 *
 * @example
 * ```ts
 * import { findBreakingCrdChanges } from "@pintle/lifecycle";
 *
 * const names = { kind: "Shop", plural: "shops" };
 * const version = { name: "v1", served: true, storage: true };
 * const before = { spec: { group: "example.com", scope: "Namespaced", names, versions: [version] } };
 * const [change] = findBreakingCrdChanges(before, { spec: { ...before.spec, versions: [{ ...version, served: false }] } });
 * console.log(change?.detail); // the version is no longer served
 * ```
 */
export function findBreakingCrdChanges(before: JsonObject, after: JsonObject): readonly BreakingChange[] {
  const [oldSpec, newSpec] = [crdSpec(before), crdSpec(after)];
  const found: BreakingChange[] = [];
  for (const fixed of ["group", "scope"] as const) {
    if (oldSpec[fixed] !== newSpec[fixed])
      found.push({
        field: `spec.${fixed}`,
        keyword: fixed,
        detail: `changed from ${formatValue(oldSpec[fixed])} to ${formatValue(newSpec[fixed])}`,
      });
  }
  if (oldSpec.names.kind !== newSpec.names.kind || oldSpec.names.plural !== newSpec.names.plural) {
    found.push({
      field: "spec.names",
      keyword: "names",
      detail: `changed from ${oldSpec.names.kind}/${oldSpec.names.plural} to ${newSpec.names.kind}/${newSpec.names.plural}`,
    });
  }
  for (const version of oldSpec.versions) {
    const same = newSpec.versions.find(({ name }) => name === version.name);
    if (same === undefined) {
      found.push({
        field: version.name,
        keyword: "versions",
        detail: "the version was removed, but stored objects and clients may still use it",
      });
    } else {
      if (version.served && !same.served) found.push({ field: version.name, keyword: "served", detail: "the version is no longer served" });
      compareSchemas(versionSchema(version), versionSchema(same), `${version.name} `, found);
    }
  }
  return found;
}

interface CrdSpec {
  readonly group: string;
  readonly scope: string;
  readonly names: { readonly kind: string; readonly plural: string };
  readonly versions: readonly CrdVersion[];
}
interface CrdVersion {
  readonly name: string;
  readonly served: boolean;
  readonly schema?: { readonly openAPIV3Schema?: JsonObject };
}
const crdSpec = (crd: JsonObject) => crd["spec"] as unknown as CrdSpec;
const versionSchema = ({ schema }: CrdVersion): JsonObject => schema?.openAPIV3Schema ?? {};

/** Keywords whose higher (lower) value accepts fewer objects. */
const LOWER_BOUNDS = ["minimum", "minLength", "minItems", "minProperties"];
const UPPER_BOUNDS = ["maximum", "maxLength", "maxItems", "maxProperties"];
/** Keywords that may be removed, but not added or changed. */
const EXACT_KEYWORDS = ["pattern", "format", "multipleOf"];
/** Keywords that decide how lists and maps merge or whether unknown fields are preserved; any change breaks. */
const MERGE_KEYWORDS = ["x-kubernetes-list-type", "x-kubernetes-list-map-keys", "x-kubernetes-map-type", "x-kubernetes-embedded-resource"];

function compareSchemas(old: JsonObject, now: JsonObject, field: string, found: BreakingChange[]): void {
  const at = field.replace(/[ .]$/, "");
  const report = (keyword: string, detail: string): void => {
    found.push({ field: at, keyword, detail });
  };
  if (!acceptsType(now, old["type"])) report("type", describeChange(old["type"], now["type"]));
  for (const key of LOWER_BOUNDS)
    if (numberOr(now[key], -Infinity) > numberOr(old[key], -Infinity)) report(key, describeChange(old[key], now[key]));
  for (const key of UPPER_BOUNDS)
    if (numberOr(now[key], Infinity) < numberOr(old[key], Infinity)) report(key, describeChange(old[key], now[key]));
  for (const key of EXACT_KEYWORDS) if (now[key] !== undefined && now[key] !== old[key]) report(key, describeChange(old[key], now[key]));
  for (const key of MERGE_KEYWORDS) if (formatValue(now[key]) !== formatValue(old[key])) report(key, describeChange(old[key], now[key]));
  for (const key of ["exclusiveMinimum", "exclusiveMaximum", "uniqueItems"]) {
    if (now[key] === true && old[key] !== true) report(key, "was added");
  }
  if (old["nullable"] === true && now["nullable"] !== true) report("nullable", "null is no longer allowed");
  if (old["x-kubernetes-preserve-unknown-fields"] === true && now["x-kubernetes-preserve-unknown-fields"] !== true) {
    report("x-kubernetes-preserve-unknown-fields", "unknown fields would be dropped");
  }
  compareEnums(old, now, report);
  compareProperties(old, now, field, found, report);
  if (isJsonObject(old["items"]) && isJsonObject(now["items"])) compareSchemas(old["items"], now["items"], `${at}[].`, found);
  if (isJsonObject(old["additionalProperties"]) && isJsonObject(now["additionalProperties"])) {
    compareSchemas(old["additionalProperties"], now["additionalProperties"], `${at}{}.`, found);
  }
}

/** Reports whether values of the old type are valid for the new schema. */
function acceptsType(schema: JsonObject, type: Json | undefined): boolean {
  const wider = type === "integer" && schema["type"] === "number";
  const either = schema["x-kubernetes-int-or-string"] === true && (type === "integer" || type === "string");
  return schema["type"] === undefined
    ? type === undefined || either || schema["x-kubernetes-preserve-unknown-fields"] === true
    : schema["type"] === type || wider;
}

function compareEnums(old: JsonObject, now: JsonObject, report: (rule: string, why: string) => void): void {
  const values = (schema: JsonObject) => schema["enum"] as readonly Json[] | undefined;
  const allowed = values(now)?.map(formatValue);
  if (allowed === undefined) return;
  const before = values(old)?.map(formatValue);
  if (before === undefined) report("enum", `only ${allowed.join(", ")} are allowed`);
  const removed = (before ?? []).filter((value) => !allowed.includes(value));
  if (removed.length > 0) report("enum", `${removed.join(", ")} ${removed.length === 1 ? "is" : "are"} no longer allowed`);
}

function compareProperties(
  old: JsonObject,
  now: JsonObject,
  field: string,
  found: BreakingChange[],
  report: (rule: string, why: string) => void,
): void {
  const [before, after] = [old["properties"] ?? {}, now["properties"] ?? {}] as readonly Record<string, JsonObject>[];
  const keepsUnknown = now["x-kubernetes-preserve-unknown-fields"] === true || isJsonObject(now["additionalProperties"]);
  for (const [name, schema] of Object.entries(before!)) {
    const same = after![name];
    if (same !== undefined) compareSchemas(schema, same, `${field}${name}.`, found);
    else if (!keepsUnknown)
      found.push({ field: `${field}${name}`, keyword: "properties", detail: "the field was removed; stored values would be dropped" });
  }
  const was = new Set((old["required"] ?? []) as readonly string[]);
  for (const name of (now["required"] ?? []) as readonly string[]) {
    if (!was.has(name) && after![name]?.["default"] === undefined) report("required", `${name} is now required and has no default`);
  }
}

const numberOr = (value: Json | undefined, none: number) => (value === undefined ? none : Number(value));
const formatValue = (value: Json | undefined): string => (value === undefined ? "none" : stringifyJson(value));
const describeChange = (old: Json | undefined, now: Json | undefined) => `changed from ${formatValue(old)} to ${formatValue(now)}`;
