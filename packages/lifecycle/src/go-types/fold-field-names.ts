import { fieldsOf } from "./structs.ts";

/**
 * Prepares a value of YAML for a Go struct as sigs.k8s.io/yaml and encoding/json do: keys match fields whatever their case, and scalars where the
 * struct has a string become strings.
 */
export function foldFieldNames(value: unknown, type: string): unknown {
  const inner = type.startsWith("*") ? type.slice(1) : type;
  if (inner.startsWith("[]")) return Array.isArray(value) ? value.map((item) => foldFieldNames(item, inner.slice(2))) : value;
  if (inner === "string" && (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean")) return String(value);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  if (inner.startsWith("map ")) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, foldFieldNames(item, inner.slice(4))]));
  }
  const fields = fieldsOf(inner);
  if (fields === undefined) return value;
  const byFolded = new Map(fields.map((field) => [field.name.toLowerCase(), field]));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      const field = fields.find(({ name }) => name === key) ?? byFolded.get(key.toLowerCase());
      return field === undefined ? [key, item] : [field.name, foldFieldNames(item, field.type)];
    }),
  );
}
