import type { Any } from "./facts.ts";
import { defOf } from "./node.ts";

/** May the key be left out? Read off `def` alone: `_zod.optin` and `_zod.bag` changed their meaning between Zod 4 minors. */
export function omittable(schema: Any): boolean {
  const def = defOf(schema);
  if (def.type === "optional" || def.type === "default" || def.type === "prefault") return true;
  return (def.type === "readonly" || def.type === "nullable") && omittable(def.innerType);
}
