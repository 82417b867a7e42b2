import { isObject, type Json, type JsonObject } from "pintle/kinds";
import { jsonPatch, mergePatch, strategicMergePatch } from "../../apply/index.ts";
import { jsonKind } from "../../schema/index.ts";
import { ApiError, badRequest, conflict } from "../../status/index.ts";
import { type DecodedBody, decodePatchBody, mediaTypeOf, unsupportedMediaType, warningLines } from "../body.ts";
import { type Call, knownKind, resourceName } from "../call.ts";
import { decodePatched, decodeStrategic } from "../decode.ts";
import { metadataOf } from "../metadata/metadata.ts";
import { type WriteOptions, writeOptions } from "../options/write-options.ts";
import { applied, tracked } from "../ownership.ts";
import type { ApiRequest } from "../request.ts";
import type { ServedResource } from "../resource.ts";
import { type Answered, answered } from "./answered.ts";
import { checkName, inNamespace } from "./namespace.ts";
import { update } from "./update.ts";

export const APPLY = "application/apply-patch+yaml";
const JSON_PATCH = "application/json-patch+json";
const MERGE = "application/merge-patch+json";
const STRATEGIC = "application/strategic-merge-patch+json";

export async function patch(call: Call): Promise<Answered> {
  const { request, resource, info } = call;
  const type = patchType(request, resource);
  const options = writeOptions("PatchOptions", request.query, request.headers, type === APPLY);
  const body = await decodePatchBody(request);
  const next = type === APPLY ? applying(call, body, options) : patching(call, type, body, options);
  const { viewed, created } = await update(call, {
    dryRun: options.dryRun,
    creates: type === APPLY && info.subresource === "",
    next: (live) => {
      const wanted = inNamespace(call, next(live));
      checkName(call, wanted);
      return wanted;
    },
  });
  return answered(created ? 201 : 200, call.view, viewed);
}

function patching(call: Call, type: string, body: DecodedBody, options: WriteOptions) {
  const apply = patcher(type, body.value, call.resource);
  const strict = type === JSON_PATCH ? operationProblems(body) : body.strict;
  return (live: JsonObject | undefined): JsonObject => {
    // Only apply creates; `update` has refused a missing object before it asks.
    const current = live as JsonObject;
    const patched = apply(current);
    const { fieldValidation } = options;
    const decoded =
      type === STRATEGIC
        ? decodeStrategic(patched, (body.value ?? {}) as JsonObject, strict, call.resource, fieldValidation, call.warn)
        : decodePatched(patched, strict, call.resource, fieldValidation, call.warn, knownKind(call));
    return tracked(call, decoded, current, options.manager);
  };
}

function applying(call: Call, { value, strict }: DecodedBody, options: WriteOptions) {
  const { resource, info } = call;
  const config = value ?? {};
  if (!isObject(config)) throw badRequest(`error decoding YAML: error unmarshaling JSON: while decoding JSON: ${notAnObject(config)}`);
  return (live: JsonObject | undefined): JsonObject => {
    const { uid } = metadataOf(config);
    if (live === undefined && uid !== undefined && uid !== "") {
      const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
      throw conflict(resourceName(resource), info.name, why);
    }
    const result = applied(call, config, live, options.manager, options.force);
    if (strict.length > 0) {
      if (options.fieldValidation === "Strict")
        throw badRequest(`error strict decoding YAML: error converting YAML to JSON: ${strict.join(", ")}`);
      if (options.fieldValidation === "Warn") for (const line of strict.flatMap(warningLines)) call.warn(line);
    }
    return result;
  };
}

const OPERATION_FIELDS = new Set(["op", "path", "from", "value"]);

/** What strict decoding has to say about the operations themselves. */
function operationProblems({ value, strict }: DecodedBody): readonly string[] {
  const operations = Array.isArray(value) ? value.filter(isObject) : [];
  const unknown = operations.flatMap((operation, index) =>
    Object.keys(operation)
      .filter((field) => !OPERATION_FIELDS.has(field))
      .map((field) => `unknown field "[${index}].${field}"`),
  );
  return [...strict, ...unknown].map((problem) => `json patch ${problem}`);
}

/** The Content-Type of a patch, which must be one the resource speaks; throws 415. */
export function patchType(request: ApiRequest, { typed }: Pick<ServedResource, "typed">): string {
  const spoken = typed ? [JSON_PATCH, MERGE, STRATEGIC, APPLY] : [JSON_PATCH, MERGE, APPLY];
  const type = mediaTypeOf(request);
  if (!spoken.includes(type)) {
    throw typed ? new ApiError(415, "UnsupportedMediaType", "415: Unsupported Media Type", {}) : unsupportedMediaType(spoken);
  }
  return type;
}

/** What a patch of this type makes of an object. */
export function patcher(type: string, patch: unknown, { schema }: Pick<ServedResource, "schema">): (object: JsonObject) => JsonObject {
  if (type === JSON_PATCH) return (object) => jsonPatch(object, (patch ?? []) as Json) as JsonObject;
  if (type === MERGE) return (object) => mergePatch(object, patch as Json);
  const given = patch ?? {};
  if (!isObject(given)) throw badRequest(notAnObject(given));
  return (object) => strategicMergePatch(object, given, schema.shape);
}

const notAnObject = (value: unknown) => `json: cannot unmarshal ${jsonKind(value as Json)} into Go value of type map[string]interface {}`;
