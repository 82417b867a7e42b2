import { isObject, type Json, type JsonObject } from "pintle/kinds";

/** A change of a definition after which objects that are stored would be refused, or lose something. */
export interface Breaking {
  /** "v1 spec.size", or a field of the definition: "spec.scope". */
  readonly field: string;
  /** The schema keyword or field that changed: "maximum". */
  readonly rule: string;
  readonly why: string;
}

/** Every breaking change between a definition as it was released and as it would be. */
export function breakingChanges(before: JsonObject, after: JsonObject): readonly Breaking[] {
  const [old, now] = [specOf(before), specOf(after)];
  const found: Breaking[] = [];
  for (const fixed of ["group", "scope"] as const) {
    if (old[fixed] !== now[fixed])
      found.push({ field: `spec.${fixed}`, rule: fixed, why: `${show(old[fixed])} became ${show(now[fixed])}` });
  }
  if (old.names.kind !== now.names.kind || old.names.plural !== now.names.plural) {
    found.push({
      field: "spec.names",
      rule: "names",
      why: `${old.names.kind}/${old.names.plural} became ${now.names.kind}/${now.names.plural}`,
    });
  }
  for (const version of old.versions) {
    const same = now.versions.find(({ name }) => name === version.name);
    if (same === undefined) {
      found.push({ field: version.name, rule: "versions", why: "the version is gone; stored objects and clients may still use it" });
    } else {
      if (version.served && !same.served) found.push({ field: version.name, rule: "served", why: "the version is no longer served" });
      compare(schemaOf(version), schemaOf(same), `${version.name} `, found);
    }
  }
  return found;
}

interface Spec {
  readonly group: string;
  readonly scope: string;
  readonly names: { readonly kind: string; readonly plural: string };
  readonly versions: readonly Version[];
}
interface Version {
  readonly name: string;
  readonly served: boolean;
  readonly schema?: { readonly openAPIV3Schema?: JsonObject };
}
const specOf = (crd: JsonObject) => crd["spec"] as unknown as Spec;
const schemaOf = ({ schema }: Version): JsonObject => schema?.openAPIV3Schema ?? {};

/** Keywords that allow less the higher, or the lower, they are. */
const LOWER_BOUNDS = ["minimum", "minLength", "minItems", "minProperties"];
const UPPER_BOUNDS = ["maximum", "maxLength", "maxItems", "maxProperties"];
/** Keywords that may go, but not come or change. */
const EXACT = ["pattern", "format", "multipleOf"];
/** Keywords that decide how lists and maps merge, or whether unknown fields are kept: any change is felt. */
const SHAPES = ["x-kubernetes-list-type", "x-kubernetes-list-map-keys", "x-kubernetes-map-type", "x-kubernetes-embedded-resource"];

function compare(old: JsonObject, now: JsonObject, field: string, found: Breaking[]): void {
  const at = field.replace(/[ .]$/, "");
  const say = (rule: string, why: string): void => {
    found.push({ field: at, rule, why });
  };
  if (!takes(now, old["type"])) say("type", rose(old["type"], now["type"]));
  for (const key of LOWER_BOUNDS) if (num(now[key], -Infinity) > num(old[key], -Infinity)) say(key, rose(old[key], now[key]));
  for (const key of UPPER_BOUNDS) if (num(now[key], Infinity) < num(old[key], Infinity)) say(key, rose(old[key], now[key]));
  for (const key of EXACT) if (now[key] !== undefined && now[key] !== old[key]) say(key, rose(old[key], now[key]));
  for (const key of SHAPES) if (show(now[key]) !== show(old[key])) say(key, rose(old[key], now[key]));
  for (const key of ["exclusiveMinimum", "exclusiveMaximum", "uniqueItems"]) {
    if (now[key] === true && old[key] !== true) say(key, "is new");
  }
  if (old["nullable"] === true && now["nullable"] !== true) say("nullable", "null is no longer allowed");
  if (old["x-kubernetes-preserve-unknown-fields"] === true && now["x-kubernetes-preserve-unknown-fields"] !== true) {
    say("x-kubernetes-preserve-unknown-fields", "unknown fields would be dropped");
  }
  enumeration(old, now, say);
  fields(old, now, field, found, say);
  if (isObject(old["items"]) && isObject(now["items"])) compare(old["items"], now["items"], `${at}[].`, found);
  if (isObject(old["additionalProperties"]) && isObject(now["additionalProperties"])) {
    compare(old["additionalProperties"], now["additionalProperties"], `${at}{}.`, found);
  }
}

/** Whether values of the old type are of the new one. */
function takes(schema: JsonObject, type: Json | undefined): boolean {
  const wider = type === "integer" && schema["type"] === "number";
  const either = schema["x-kubernetes-int-or-string"] === true && (type === "integer" || type === "string");
  return schema["type"] === undefined
    ? type === undefined || either || schema["x-kubernetes-preserve-unknown-fields"] === true
    : schema["type"] === type || wider;
}

function enumeration(old: JsonObject, now: JsonObject, say: (rule: string, why: string) => void): void {
  const values = (schema: JsonObject) => schema["enum"] as readonly Json[] | undefined;
  const allowed = values(now)?.map(show);
  if (allowed === undefined) return;
  const before = values(old)?.map(show);
  if (before === undefined) say("enum", `only ${allowed.join(", ")} are allowed now`);
  const gone = (before ?? []).filter((value) => !allowed.includes(value));
  if (gone.length > 0) say("enum", `${gone.join(", ")} ${gone.length === 1 ? "is" : "are"} no longer allowed`);
}

function fields(old: JsonObject, now: JsonObject, field: string, found: Breaking[], say: (rule: string, why: string) => void): void {
  const [before, after] = [old["properties"] ?? {}, now["properties"] ?? {}] as readonly Record<string, JsonObject>[];
  const keepsUnknown = now["x-kubernetes-preserve-unknown-fields"] === true || isObject(now["additionalProperties"]);
  for (const [name, schema] of Object.entries(before!)) {
    const same = after![name];
    if (same !== undefined) compare(schema, same, `${field}${name}.`, found);
    else if (!keepsUnknown)
      found.push({ field: `${field}${name}`, rule: "properties", why: "the field is gone; stored values would be dropped" });
  }
  const was = new Set((old["required"] ?? []) as readonly string[]);
  for (const name of (now["required"] ?? []) as readonly string[]) {
    if (!was.has(name) && after![name]?.["default"] === undefined) say("required", `${name} is required now and has no default`);
  }
}

const num = (value: Json | undefined, none: number) => (value === undefined ? none : Number(value));
const show = (value: Json | undefined): string => (value === undefined ? "none" : JSON.stringify(value));
const rose = (old: Json | undefined, now: Json | undefined) => `${show(old)} became ${show(now)}`;
