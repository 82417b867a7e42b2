import { memoizeByKey } from "pintle/internal/memoize";
import type { Json } from "pintle/kinds";
import { type GoType, getGoStruct } from "./go-structs.ts";

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
export const getZeroStruct: (name: string) => Json = memoizeByKey((name) => {
  const object: Record<string, Json> = {};
  for (const [field, { type, zero }] of getGoStruct(name)) {
    if (zero === "write") object[field] = getZeroValue(type);
    else if (zero === "null") object[field] = null;
  }
  return Object.freeze(object);
});
