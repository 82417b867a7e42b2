import type { JsonObject } from "pintle/kinds";
import { badRequest } from "../../status/index.ts";
import type { Call } from "../call.ts";
import { metadataOf, withMetadata } from "../metadata/metadata.ts";

/** The object in the namespace of the request, which it may leave out but not contradict. */
export function inNamespace({ info, resource }: Call, object: JsonObject): JsonObject {
  const expected = resource.scope === "Namespaced" ? info.namespace : "";
  const given = metadataOf(object).namespace ?? "";
  if (given === expected) return object;
  if (given !== "" && expected !== "") {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
  return withMetadata(object, { namespace: expected === "" ? undefined : expected });
}

/** The object must be the one the URL names. */
export function checkName({ info }: Call, object: JsonObject): void {
  const { name = "" } = metadataOf(object);
  if (name === "") {
    throw badRequest(`the name of the object (${info.name} based on URL) was undeterminable: name must be provided`);
  }
  if (name !== info.name) {
    throw badRequest(`the name of the object (${name}) does not match the name on the URL (${info.name})`);
  }
}
