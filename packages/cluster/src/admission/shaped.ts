import type { JsonObject } from "pintle/kinds";
import type { AdmissionRequest, ResourceSchema } from "../api/index.ts";
import { DecodeError } from "../schema/index.ts";
import { goJson, internalError } from "../status/index.ts";
import { isSame, type Versioned } from "./attributes.ts";

/** What admission made of an object, in the form that every object has: of known fields, defaults filled in. Throws 500. */
export function shaped(request: AdmissionRequest, seen: Versioned, made: JsonObject): JsonObject {
  const schema = schemaOf(request, seen);
  if (schema === undefined) return made;
  const { kind } = made;
  if (!seen.resource.typed && (typeof kind !== "string" || kind === ""))
    throw internalError(`Object 'Kind' is missing in '${goJson(made)}'`);
  try {
    return schema.default(schema.prune(made).object);
  } catch (error) {
    throw error instanceof DecodeError ? internalError(error.message) : error;
  }
}

/** Of the kind that is seen: the resource's own, or what one of its actions takes. */
function schemaOf({ resource, subresource }: AdmissionRequest, { resource: as, kind }: Versioned): ResourceSchema | undefined {
  if (isSame(kind, as)) return as.schema;
  const part = resource.subresources.find(({ name }) => name === subresource);
  return part?.type === "action" ? part.accepts.schema : undefined;
}
