import { isJsonObject, type Json, type JsonObject } from "../json/index.ts";

/** Which fields of a kind hold secrets: a tree with the shape of its schema. */
export interface SensitiveFields {
  /** The value itself, whatever it is. */
  readonly all?: true | undefined;
  /** How the value is encoded. Default: as text. */
  readonly encoding?: "base64" | undefined;
  readonly fields?: Readonly<Record<string, SensitiveFields>> | undefined;
  /** Of the items of a list, or of the values of a map. */
  readonly items?: SensitiveFields | undefined;
}

const ALL: SensitiveFields = { all: true };

/** Fields of built-in kinds, by kind: Secrets, and the tokens of requests and reviews. */
const BUILT_IN: Readonly<Record<string, SensitiveFields>> = {
  Secret: { fields: { data: { items: { ...ALL, encoding: "base64" } }, stringData: { items: ALL } } },
  TokenRequest: { fields: { status: { fields: { token: ALL } } } },
  TokenReview: { fields: { spec: { fields: { token: ALL } } } },
};

/** Returns the secret fields of a built-in kind. */
export const builtInSensitiveFields = (kind: string): SensitiveFields | undefined =>
  Object.hasOwn(BUILT_IN, kind) ? BUILT_IN[kind] : undefined;

/** Returns the secret fields of an OpenAPI schema: those with the format "password", as `sensitive()` declares them. */
export function findSensitiveFields(schema: Json | undefined): SensitiveFields | undefined {
  if (!isJsonObject(schema)) return undefined;
  if (schema["format"] === "password") return ALL;
  const fields: Record<string, SensitiveFields> = {};
  const { properties } = schema;
  if (isJsonObject(properties))
    for (const [name, property] of Object.entries(properties)) {
      const found = findSensitiveFields(property);
      if (found !== undefined) fields[name] = found;
    }
  const items = findSensitiveFields(schema["items"]) ?? findSensitiveFields(schema["additionalProperties"]);
  const hasFields = Object.keys(fields).length > 0;
  return hasFields || items !== undefined ? { ...(hasFields ? { fields } : {}), ...(items === undefined ? {} : { items }) } : undefined;
}

/** Calls `visit` for the defaults of the secret fields of a schema, and for other values that it gives them. */
export function visitSensitiveDefaults(schema: Json | undefined, visit: (value: Json) => void): void {
  if (Array.isArray(schema)) for (const item of schema as readonly Json[]) visitSensitiveDefaults(item, visit);
  if (!isJsonObject(schema)) return;
  const fields = findSensitiveFields(schema);
  if (fields === undefined) return;
  for (const name of ["default", "example"]) visitSensitiveValues(schema[name], fields, visit);
  for (const name of ["enum", "const"]) if (fields.all === true && schema[name] !== undefined) visit(schema[name]);
  for (const each of Object.values((schema["properties"] ?? {}) as JsonObject)) visitSensitiveDefaults(each, visit);
  visitSensitiveDefaults(schema["items"], visit);
  visitSensitiveDefaults(schema["additionalProperties"], visit);
}

/** The part of a kind that has a schema: the result of `defineResource`. */
interface KindWithSchema {
  readonly version: string;
  readonly kind: string;
  crd?(): {
    readonly spec: { readonly versions: readonly { readonly name: string; readonly schema: { readonly openAPIV3Schema: unknown } }[] };
  };
}

const known = new WeakMap<object, { readonly fields: SensitiveFields | undefined }>();

/** Returns the secret fields of a kind. */
export function sensitiveFieldsOfKind(kind: KindWithSchema): SensitiveFields | undefined {
  const found = known.get(kind);
  if (found !== undefined) return found.fields;
  const schema = typeof kind.crd === "function" ? kind.crd().spec.versions.find(({ name }) => name === kind.version) : undefined;
  const fields = builtInSensitiveFields(kind.kind) ?? findSensitiveFields(schema?.schema.openAPIV3Schema as Json | undefined);
  known.set(kind, { fields });
  return fields;
}

/** Calls `visit` for every value of the secret fields. */
export function visitSensitiveValues(
  value: Json | undefined,
  fields: SensitiveFields,
  visit: (value: Json, encoding?: "base64") => void,
): void {
  if (value === undefined || value === null) return;
  if (fields.all === true) {
    visit(value, fields.encoding);
    return;
  }
  if (Array.isArray(value)) {
    if (fields.items !== undefined) for (const item of value as readonly Json[]) visitSensitiveValues(item, fields.items, visit);
    return;
  }
  if (!isJsonObject(value)) return;
  for (const [name, field] of Object.entries(value as JsonObject)) {
    const inner = fields.fields?.[name] ?? fields.items;
    if (inner !== undefined) visitSensitiveValues(field, inner, visit);
  }
}
