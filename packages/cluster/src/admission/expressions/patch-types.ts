import * as cel from "../../schema/cel/index.ts";

const JSON_PATCH_FIELDS: Readonly<Record<string, cel.Type>> = { op: cel.STRING, path: cel.STRING, from: cel.STRING, value: cel.DYN };

/** Type of an unknown field; no value has it. */
const NO_TYPE = cel.struct("");

/** A JSON patch operation: `JSONPatch{op: "add", path: "/a", value: 1}`. */
export const JSON_PATCH_TYPE = cel.struct("JSONPatch", (field) =>
  Object.hasOwn(JSON_PATCH_FIELDS, field) ? JSON_PATCH_FIELDS[field] : NO_TYPE,
);

/** A part of an object, named by its path: `Object.spec{replicas: 1}`. Its fields are untyped. */
export const OBJECT_TYPE = objectPartType("Object");

function objectPartType(name: string): cel.Type {
  return cel.struct(name, () => cel.DYN);
}

/** Returns a type that mutation expressions may construct by name. */
export function findPatchType(name: string): cel.Type | undefined {
  if (name === "JSONPatch") return JSON_PATCH_TYPE;
  if (name === "Object") return OBJECT_TYPE;
  return name.startsWith("Object.") ? objectPartType(name) : undefined;
}

/** Result types of ApplyConfiguration and JSONPatch mutations. */
export const APPLY_CONFIGURATION_RESULT = [OBJECT_TYPE];
export const JSON_PATCH_RESULT = [cel.listOf(JSON_PATCH_TYPE)];

/** Returns an error if an object part is used at another path than its type name states. */
export function findMisplacedTypes(value: cel.Value, path = "Object"): string | undefined {
  const found: string[] = [];
  collectMisplacedTypes(value, path, found);
  return found.length === 0 ? undefined : found.join("\n");
}

function collectMisplacedTypes(value: cel.Value, path: string, found: string[]): void {
  if (value instanceof cel.ListValue) for (const item of value.values()) collectMisplacedTypes(item, path, found);
  if (!(value instanceof cel.MapValue)) return;
  const isPart = value instanceof cel.StructValue;
  if (isPart && value.structName !== path) {
    found.push(`unexpected type name "${value.structName}", expected "${path}", which matches field name path from root Object type`);
  }
  for (const key of value.keys()) collectMisplacedTypes(value.find(key) ?? null, isPart ? `${path}.${String(key)}` : path, found);
}
