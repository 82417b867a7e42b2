import { APPLY_PATCH } from "../decode/patch-type.ts";
import type { RequestContext } from "../request-context.ts";

/**
 * Fills in the defaults of the schema. An apply did so while merging, and a Scale changes an object that has them.
 * Reads and writes `object`.
 */
export function setDefaults(context: RequestContext): RequestContext {
  if (context.patchType === APPLY_PATCH || context.subresource?.type === "scale") return context;
  context.object = context.bodyResource.schema.default(context.object);
  return context;
}
