import type { Json } from "pintle/kinds";
import { type GoType, getGoStruct } from "./go-structs.ts";

const zeros = new Map<string, Json>();

/** Returns the JSON of a type's zero value. */
export function getZeroValue(type: GoType): Json {
  switch (type.type) {
    case "string":
      return "";
    case "bool":
      return false;
    case "integer":
    case "double":
    case "intOrString":
      return 0;
    case "quantity":
      return "0";
    case "struct":
      return getZeroStruct(type.name);
    default:
      return null;
  }
}

/** Returns the JSON of a struct's zero value: `{}` for most structs, `{ replicas: 0 }` for a ReplicaSetStatus. */
export function getZeroStruct(name: string): Json {
  const known = zeros.get(name);
  if (known !== undefined) return known;
  const object: Record<string, Json> = {};
  for (const [field, { type, zero }] of getGoStruct(name)) {
    if (zero === "write") object[field] = getZeroValue(type);
    else if (zero === "null") object[field] = null;
  }
  zeros.set(name, Object.freeze(object));
  return object;
}
