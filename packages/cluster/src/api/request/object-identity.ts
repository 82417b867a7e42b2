import type { JsonObject } from "pintle/kinds";
import { badRequest } from "../../status/index.ts";
import { getMetadata, withMetadata } from "../metadata/object-meta.ts";
import type { RequestContext } from "../request-context.ts";

/** Returns the object with the namespace of the request. Throws 400 if it has another one. */
export function ensureNamespace({ info, resource }: RequestContext, object: JsonObject): JsonObject {
  const expected = resource.scope === "Namespaced" ? info.namespace : "";
  const given = getMetadata(object).namespace ?? "";
  if (given === expected) return object;
  if (given !== "" && expected !== "") {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
  return withMetadata(object, { namespace: expected === "" ? undefined : expected });
}

/** Throws 400 unless the object has the name of the URL. */
export function checkNameMatchesUrl({ info }: RequestContext, object: JsonObject): void {
  const { name = "" } = getMetadata(object);
  if (name === "") {
    throw badRequest(`the name of the object (${info.name} based on URL) was undeterminable: name must be provided`);
  }
  if (name !== info.name) {
    throw badRequest(`the name of the object (${name}) does not match the name on the URL (${info.name})`);
  }
}
