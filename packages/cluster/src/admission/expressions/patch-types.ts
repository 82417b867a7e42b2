import { cel } from "../../schema/index.ts";

const OPERATION: Readonly<Record<string, cel.Type>> = { op: cel.STRING, path: cel.STRING, from: cel.STRING, value: cel.DYN };

/** Of a field that there is not: nothing is of this type. */
const NOTHING = cel.struct("");

/** An operation of a JSON Patch: `JSONPatch{op: "add", path: "/a", value: 1}`. */
export const JSON_PATCH = cel.struct("JSONPatch", (field) => (Object.hasOwn(OPERATION, field) ? OPERATION[field] : NOTHING));

/** A part of an object by its place in it: `Object.spec{replicas: 1}`. Nothing is known about its fields. */
export const OBJECT = part("Object");

function part(name: string): cel.Type {
  return cel.struct(name, () => cel.DYN);
}

/** What mutations may make by name. */
export function patchTypes(name: string): cel.Type | undefined {
  if (name === "JSONPatch") return JSON_PATCH;
  if (name === "Object") return OBJECT;
  return name.startsWith("Object.") ? part(name) : undefined;
}

/** What applied configurations and patches are: the values that the expressions of mutations must have. */
export const CONFIGURATION = [OBJECT];
export const OPERATIONS = [cel.listOf(JSON_PATCH)];

/** Why parts of an object are not where they say they are; undefined when they are. */
export function misplaced(value: cel.Value, path = "Object"): string | undefined {
  const found: string[] = [];
  collect(value, path, found);
  return found.length === 0 ? undefined : found.join("\n");
}

function collect(value: cel.Value, path: string, found: string[]): void {
  if (value instanceof cel.ListValue) for (const item of value.values()) collect(item, path, found);
  if (!(value instanceof cel.MapValue)) return;
  const isPart = value instanceof cel.StructValue;
  if (isPart && value.structName !== path) {
    found.push(`unexpected type name "${value.structName}", expected "${path}", which matches field name path from root Object type`);
  }
  for (const key of value.keys()) collect(value.find(key) ?? null, isPart ? `${path}.${String(key)}` : path, found);
}
