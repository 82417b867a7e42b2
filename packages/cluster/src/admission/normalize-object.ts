import { encodeGoJson } from "pintle/internal/go-format";
import type { JsonObject } from "pintle/kinds";
import type { AdmissionRequest, ResourceSchema } from "../api/index.ts";
import { DecodeError } from "../schema/decode/index.ts";
import { internalError } from "../status/index.ts";
import { isSameKind, type VersionedAttributes } from "./attributes.ts";

/** Prunes and defaults an object that an admission plugin changed. Throws 500 if it cannot be decoded. */
export function normalizeObject(request: AdmissionRequest, attributes: VersionedAttributes, object: JsonObject): JsonObject {
  const schema = getSchema(request, attributes);
  if (schema === undefined) return object;
  const { kind } = object;
  if (!attributes.resource.typed && (typeof kind !== "string" || kind === ""))
    throw internalError(`Object 'Kind' is missing in '${encodeGoJson(object)}'`);
  try {
    return schema.default(schema.prune(object).object);
  } catch (error) {
    throw error instanceof DecodeError ? internalError(error.message) : error;
  }
}

/** The schema of the matched kind: that of the resource, or of the action subresource. */
function getSchema({ resource, subresource }: AdmissionRequest, { resource: as, kind }: VersionedAttributes): ResourceSchema | undefined {
  if (isSameKind(kind, as)) return as.schema;
  const part = resource.subresources.find(({ name }) => name === subresource);
  return part?.type === "action" ? part.accepts.schema : undefined;
}
