import { encodeGoJson, formatGoValue } from "pintle/internal/go-format";
import { isJsonObject, stringifyJson } from "pintle/internal/json";
import type { Json, JsonObject } from "pintle/kinds";
import { BodyDecodeError, MAX_STRICT_ERRORS, visitJsonFields } from "../../codec/index.ts";
import { DecodeError, getJsonTypeName } from "../../schema/decode/index.ts";
import { type ApiError, badRequest, fieldError, invalid } from "../../status/index.ts";
import { formatApiVersion, type ServedResource } from "../registry/served-resource.ts";
import { isKindServed, type RequestContext } from "../request-context.ts";
import { STRATEGIC_MERGE_PATCH } from "./patch-type.ts";
import { type DecodedBody, decodeRequestBody, hasJsonBody, type ReceivedBody, splitStrictError } from "./request-body.ts";
import { formatGoType, formatNotRegistered, GO_TYPE_META } from "./type-meta.ts";

type ExpectedKind = Pick<ServedResource, "group" | "version" | "kind" | "typed" | "schema" | "olderApiVersions">;

/** Decodes the body of a request into an object of the resource: of the right kind, pruned. Throws 400. */
export async function decodeObjectBody(context: RequestContext): Promise<JsonObject> {
  const { bodyResource: resource, writeOptions } = context;
  const body = await decodeBodyOfKind(context, resource);
  const given = checkTypeMeta(context, body?.value);
  const { object, unknown } = pruneObject(given, resource);
  context.sentObject = object;
  const problems = listStrictErrors(resource, body, unknown);
  if (problems.length > 0) {
    if (writeOptions.fieldValidation === "Strict")
      throw cannotHandleError(given, resource, `strict decoding error: ${problems.join(", ")}`);
    if (writeOptions.fieldValidation === "Warn") for (const line of problems.flatMap(splitStrictError)) context.warn(line);
  }
  return object;
}

/**
 * Lists the errors of strict decoding. Go finds duplicate and unknown fields of a built-in kind in one pass over JSON, and does not look into
 * unknown ones. YAML and custom resources are searched for duplicates first.
 */
function listStrictErrors({ typed }: ExpectedKind, body: DecodedBody | undefined, unknown: readonly string[]): readonly string[] {
  const duplicates = body?.strict ?? [];
  if (!typed) return [...duplicates, ...unknown.map(formatUnknownField)];
  if (body?.json === undefined || unknown.length === 0 || unknown.length + duplicates.length === 1) {
    // YAML is converted to JSON with sorted fields.
    const ordered = body?.isYaml === true ? [...unknown].sort() : unknown;
    return [...duplicates, ...ordered.map(formatUnknownField)].slice(0, MAX_STRICT_ERRORS);
  }
  const unknownPaths = new Set(unknown);
  const problems = new Set<string>();
  let skipped: string | undefined;
  visitJsonFields(body.json, (path, isDuplicate) => {
    if (skipped !== undefined && path.startsWith(skipped) && /^[.[]/.test(path.slice(skipped.length))) return false;
    skipped = unknownPaths.has(path) ? path : undefined;
    if (skipped !== undefined) problems.add(formatUnknownField(path));
    else if (isDuplicate) problems.add(formatDuplicateField(path));
    return problems.size === MAX_STRICT_ERRORS;
  });
  return [...problems].slice(0, MAX_STRICT_ERRORS);
}

function unrecognizedObjectError({ kind }: ExpectedKind, why: string, { body }: ReceivedBody): ApiError {
  const bytes = body === undefined ? Buffer.alloc(0) : "bytes" in body ? body.bytes : Buffer.from(stringifyJson(body.json));
  return badRequest(`the object provided is unrecognized (must be of type ${kind}): ${why} (${summarizeBody(bytes)})`);
}

async function decodeBodyOfKind(received: ReceivedBody, resource: ExpectedKind) {
  try {
    const { kind, olderApiVersions } = resource;
    return await decodeRequestBody(received, { apiVersion: formatApiVersion(resource), kind, olderApiVersions });
  } catch (error) {
    if (!(error instanceof BodyDecodeError)) throw error;
    const why = hasJsonBody(received.request) ? `couldn't get version/kind; json parse error: ${error.message}` : error.message;
    throw unrecognizedObjectError(resource, why, received);
  }
}

/** Checks and prunes the result of a patch as if it had been sent, but errors are errors of the patch. Throws 422. */
export function decodePatchedObject(context: RequestContext, patched: JsonObject): JsonObject {
  const { resource } = context;
  const toError = (why: string) => invalidPatchError(encodeGoJson(patched), why);
  const { kind, apiVersion } = patched;
  if (resource.typed && (kind !== resource.kind || apiVersion !== formatApiVersion(resource))) {
    throw toError(formatTypeMismatch(context, String(apiVersion), String(kind)));
  }
  return decodePatchResult(context, patched, toError, (error) => error.message);
}

/** The same for a strategic merge patch, which is applied to a Go value: errors quote the patch, and its kind does not matter. */
export function decodeStrategicMergedObject(context: RequestContext, patched: JsonObject, patch: JsonObject): JsonObject {
  const { resource } = context;
  const toError = (why: string) => invalidPatchError(formatGoValue(patch), why);
  const typed = { ...patched, kind: resource.kind, apiVersion: formatApiVersion(resource) };
  return decodePatchResult(context, typed, toError, (error) => error.conversionMessage);
}

/** An error about the result of a patch, which it quotes. */
export const invalidPatchError = (shown: string, why: string) =>
  invalid({ group: "", resource: "" }, "", [fieldError.invalid("patch", shown, why)]);

function decodePatchResult(
  { resource, writeOptions, patchType, patchBody, warn }: RequestContext,
  patched: JsonObject,
  toError: (why: string) => ApiError,
  formatError: (error: DecodeError) => string,
): JsonObject {
  let result: ReturnType<ServedResource["schema"]["prune"]>;
  try {
    result = resource.schema.prune(patched);
  } catch (error) {
    if (error instanceof DecodeError) throw toError(formatError(error));
    throw error;
  }
  const isDecodedByGo = resource.typed && patchType !== STRATEGIC_MERGE_PATCH;
  // The fields of a patched object are sorted.
  const unknown = [...result.unknown].sort().slice(0, isDecodedByGo ? MAX_STRICT_ERRORS : undefined);
  const problems = [...(patchBody?.strict ?? []), ...unknown.map(formatUnknownField)];
  if (problems.length > 0) {
    if (writeOptions.fieldValidation === "Strict") throw toError(`strict decoding error: ${problems.join(", ")}`);
    if (writeOptions.fieldValidation === "Warn") for (const problem of problems) warn(problem);
  }
  return result.object;
}

const formatUnknownField = (path: string) => `unknown field ${JSON.stringify(path)}`;
const formatDuplicateField = (path: string) => `duplicate field ${JSON.stringify(path)}`;

function pruneObject(object: JsonObject, resource: ExpectedKind) {
  try {
    return resource.schema.prune(object);
  } catch (error) {
    if (error instanceof DecodeError) throw cannotHandleError(object, resource, error.message);
    throw error;
  }
}

function cannotHandleError(object: JsonObject, resource: ExpectedKind, why: string): ApiError {
  return badRequest(
    `${String(object["kind"])} in version ${JSON.stringify(resource.version)} cannot be handled as a ${resource.kind}: ${why}`,
  );
}

/** Checks kind and apiVersion of a body, and fills them in for built-in kinds. Throws 400. */
function checkTypeMeta(context: RequestContext, sent: unknown): JsonObject {
  const { bodyResource: resource } = context;
  const apiVersion = formatApiVersion(resource);
  // In Go, null leaves a struct empty.
  const value = sent === null && resource.typed ? {} : sent;
  if (!isJsonObject(value)) {
    const why =
      value === undefined
        ? "unexpected end of JSON input"
        : `json: cannot unmarshal ${getJsonTypeName(value as Json)} into Go value of type ${GO_TYPE_META}`;
    throw unrecognizedObjectError(resource, `couldn't get version/kind; json parse error: ${why}`, context);
  }
  const { kind, apiVersion: given } = value;
  for (const [field, found] of Object.entries({ kind, apiVersion: given })) {
    if (found === undefined || found === null || typeof found === "string") continue;
    const why = `json: cannot unmarshal ${getJsonTypeName(found)} into Go struct field .${field} of type string`;
    throw unrecognizedObjectError(resource, `couldn't get version/kind; json parse error: ${why}`, context);
  }
  if (resource.typed) {
    const sentVersion = String(given || apiVersion);
    const sentKind = String(kind || resource.kind);
    const isAccepted = sentVersion === apiVersion || resource.olderApiVersions?.includes(sentVersion) === true;
    if (!isAccepted || sentKind !== resource.kind) throw otherTypeError(context, sentVersion, sentKind);
    return kind === resource.kind && given === apiVersion ? value : { ...value, kind: resource.kind, apiVersion };
  }
  if (typeof kind !== "string" || kind === "") {
    const shown = stringifyJson(value);
    throw unrecognizedObjectError(resource, `Object 'Kind' is missing in '${shown}'`, context);
  }
  if (given !== apiVersion) throw otherVersionError(String(given ?? ""), apiVersion);
  return value;
}

function otherTypeError(context: RequestContext, apiVersion: string, kind: string): ApiError {
  const version = JSON.stringify(apiVersion.split("/").at(-1));
  return badRequest(
    `${kind} in version ${version} cannot be handled as a ${context.bodyResource.kind}: ${formatTypeMismatch(context, apiVersion, kind)}`,
  );
}

function formatTypeMismatch(context: RequestContext, apiVersion: string, kind: string): string {
  if (!isKindServed(context, apiVersion, kind)) return formatNotRegistered(apiVersion, kind);
  return `converting (${apiVersion.split("/").at(-1)}.${kind}) to (${formatGoType(context.bodyResource)}): unknown conversion`;
}

function otherVersionError(given: string, expected: string): ApiError {
  return badRequest(`the API version in the data (${given}) does not match the expected API version (${expected})`);
}

/** Returns the beginning of a body as errors quote it. */
function summarizeBody(bytes: Uint8Array): string {
  if (bytes.length === 0) return "<empty>";
  const shown = Buffer.from(bytes.subarray(0, 30)).toString(bytes[0] === 0x7b ? "utf8" : "hex");
  return bytes.length > 30 ? `${shown} ...` : shown;
}
