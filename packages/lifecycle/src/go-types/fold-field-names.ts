import { fieldsOf, type GoField } from "./structs.ts";

/** Where a value comes from. YAML becomes JSON first, and a scalar where the struct has a string becomes a string then; JSON stays as it is. */
type Origin = "yaml" | "json";

/**
 * Prepares a value for a Go struct as sigs.k8s.io/yaml and encoding/json do: keys match fields whatever their case. Of several keys of one field
 * the last in alphabetical order wins, because Go sorts the keys when it writes JSON.
 */
export function foldFieldNames(value: unknown, type: string, origin: Origin): unknown {
  const inner = type.startsWith("*") ? type.slice(1) : type;
  if (inner.startsWith("[]")) return Array.isArray(value) ? value.map((item) => foldFieldNames(item, inner.slice(2), origin)) : value;
  if (origin === "yaml" && inner === "string" && ["number", "bigint", "boolean"].includes(typeof value)) return String(value);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  if (inner.startsWith("map ")) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, foldFieldNames(item, inner.slice(4), origin)]));
  }
  const fields = indexOf(inner);
  if (fields === undefined) return value;
  const entries = Object.entries(value).map(([key, item]): [string, string, unknown] => {
    const field = fields.byName.get(key) ?? fields.byLowerCase.get(key.toLowerCase());
    return field === undefined ? [key, key, item] : [field.name, key, foldFieldNames(item, field.type, origin)];
  });
  entries.sort(([, a], [, b]) => (a < b ? -1 : Number(a > b)));
  return Object.fromEntries(entries.map(([name, , item]) => [name, item]));
}

interface FieldIndex {
  readonly byName: ReadonlyMap<string, GoField>;
  readonly byLowerCase: ReadonlyMap<string, GoField>;
}

const indexes = new Map<string, FieldIndex>();

/** The fields of a struct by name; undefined if `type` is no struct. */
function indexOf(type: string): FieldIndex | undefined {
  const known = indexes.get(type);
  if (known !== undefined) return known;
  const fields = fieldsOf(type);
  if (fields === undefined) return undefined;
  const index = {
    byName: new Map(fields.map((field) => [field.name, field])),
    byLowerCase: new Map(fields.map((field) => [field.name.toLowerCase(), field])),
  };
  indexes.set(type, index);
  return index;
}
