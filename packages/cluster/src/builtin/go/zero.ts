import type { Json } from "pintle/kinds";
import { type GoType, goStruct } from "./structs.ts";

const zeros = new Map<string, Json>();

/** What Go writes for a value nobody set. */
export function zeroOf(type: GoType): Json {
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
      return zeroStruct(type.name);
    default:
      return null;
  }
}

/** `{}` for most structs; `{ replicas: 0 }` for a ReplicaSetStatus. */
export function zeroStruct(name: string): Json {
  const known = zeros.get(name);
  if (known !== undefined) return known;
  const object: Record<string, Json> = {};
  for (const [field, { type, zero }] of goStruct(name)) {
    if (zero === "write") object[field] = zeroOf(type);
    else if (zero === "null") object[field] = null;
  }
  zeros.set(name, Object.freeze(object));
  return object;
}
