import { isObject, type Json, type JsonObject } from "pintle/kinds";
import { goText } from "pintle/merge";
import { BodyError } from "../codec/index.ts";
import { DecodeError, jsonKind } from "../schema/index.ts";
import { type ApiError, badRequest, fieldError, goJson, invalid } from "../status/index.ts";
import { decodeBody, isJsonBody, warningLines } from "./body.ts";
import { jsonText } from "./json-text.ts";
import type { FieldValidation } from "./options/write-options.ts";
import type { ApiRequest } from "./request.ts";
import { apiVersionOf, type ServedResource } from "./resource.ts";
import { goType, notRegistered, TYPE_META } from "./type-meta.ts";

type Expected = Pick<ServedResource, "group" | "version" | "kind" | "typed" | "schema">;

/** Whether a kind is served at all: that changes how a body of the wrong kind is refused. */
export type KnownKind = (apiVersion: string, kind: string) => boolean;

/** The body of a request as an object of the resource: of the right kind, pruned, defaulted. Throws 400. */
export async function decodeObject(
  request: ApiRequest,
  resource: Expected,
  validation: FieldValidation,
  warn: (text: string) => void,
  known: KnownKind,
): Promise<JsonObject> {
  const body = await readBody(request, resource);
  const given = identified(body?.value, resource, known, request);
  const { object, unknown } = pruned(given, resource);
  const problems = [...(body?.strict ?? []), ...unknown.map(unknownField)];
  if (problems.length > 0) {
    if (validation === "Strict") throw cannotHandle(given, resource, `strict decoding error: ${problems.join(", ")}`);
    if (validation === "Warn") for (const line of problems.flatMap(warningLines)) warn(line);
  }
  return resource.schema.default(object);
}

function unrecognized({ kind }: Expected, why: string, { body }: ApiRequest): ApiError {
  const bytes = body === undefined ? Buffer.alloc(0) : "bytes" in body ? body.bytes : Buffer.from(jsonText(body.json));
  return badRequest(`the object provided is unrecognized (must be of type ${kind}): ${why} (${summary(bytes)})`);
}

async function readBody(request: ApiRequest, resource: Expected) {
  try {
    return await decodeBody(request, { apiVersion: apiVersionOf(resource), kind: resource.kind });
  } catch (error) {
    if (!(error instanceof BodyError)) throw error;
    const why = isJsonBody(request) ? `couldn't get version/kind; json parse error: ${error.message}` : error.message;
    throw unrecognized(resource, why, request);
  }
}

/** What came out of a patch, checked as if it had been sent: but what is wrong is wrong with the patch. Throws 422. */
export function decodePatched(
  patched: JsonObject,
  strict: readonly string[],
  resource: Expected,
  validation: FieldValidation,
  warn: (text: string) => void,
  known: KnownKind,
): JsonObject {
  const wrong = (why: string) => wrongPatch(goJson(patched), why);
  const { kind, apiVersion } = patched;
  if (resource.typed && (kind !== resource.kind || apiVersion !== apiVersionOf(resource))) {
    throw wrong(typeMismatch(String(apiVersion), String(kind), resource, known));
  }
  return checkedPatch(patched, strict, resource, validation, warn, wrong, (error) => error.message);
}

/** The same for a strategic merge patch, whose outcome never is a text: what is shown is the patch, and its kind does not matter. */
export function decodeStrategic(
  patched: JsonObject,
  patch: JsonObject,
  strict: readonly string[],
  resource: Expected,
  validation: FieldValidation,
  warn: (text: string) => void,
): JsonObject {
  const { kind } = resource;
  const wrong = (why: string) => wrongPatch(goText(patch), why);
  const typed = { ...patched, kind, apiVersion: apiVersionOf(resource) };
  return checkedPatch(typed, strict, resource, validation, warn, wrong, (error) => error.ofValue);
}

/** What is wrong with what a patch would make, which is shown. */
export const wrongPatch = (shown: string, why: string) =>
  invalid({ group: "", resource: "" }, "", [fieldError.invalid("patch", shown, why)]);

function checkedPatch(
  patched: JsonObject,
  strict: readonly string[],
  resource: Expected,
  validation: FieldValidation,
  warn: (text: string) => void,
  wrong: (why: string) => ApiError,
  words: (error: DecodeError) => string,
): JsonObject {
  let result: ReturnType<ServedResource["schema"]["prune"]>;
  try {
    result = resource.schema.prune(patched);
  } catch (error) {
    if (error instanceof DecodeError) throw wrong(words(error));
    throw error;
  }
  // What a patch makes has its fields in order.
  const problems = [...strict, ...[...result.unknown].sort().map(unknownField)];
  if (problems.length > 0) {
    if (validation === "Strict") throw wrong(`strict decoding error: ${problems.join(", ")}`);
    if (validation === "Warn") for (const problem of problems) warn(problem);
  }
  return resource.schema.default(result.object);
}

const unknownField = (path: string) => `unknown field ${JSON.stringify(path)}`;

function pruned(object: JsonObject, resource: Expected) {
  try {
    return resource.schema.prune(object);
  } catch (error) {
    if (error instanceof DecodeError) throw cannotHandle(object, resource, error.message);
    throw error;
  }
}

function cannotHandle(object: JsonObject, resource: Expected, why: string): ApiError {
  return badRequest(
    `${String(object["kind"])} in version ${JSON.stringify(resource.version)} cannot be handled as a ${resource.kind}: ${why}`,
  );
}

/** The body with kind and apiVersion, which must be the resource's. */
function identified(sent: unknown, resource: Expected, known: KnownKind, request: ApiRequest): JsonObject {
  const apiVersion = apiVersionOf(resource);
  // Null leaves a struct as it is, which is empty.
  const value = sent === null && resource.typed ? {} : sent;
  if (!isObject(value)) {
    const why =
      value === undefined
        ? "unexpected end of JSON input"
        : `json: cannot unmarshal ${jsonKind(value as Json)} into Go value of type ${TYPE_META}`;
    throw unrecognized(resource, `couldn't get version/kind; json parse error: ${why}`, request);
  }
  const { kind, apiVersion: given } = value;
  for (const [field, found] of Object.entries({ kind, apiVersion: given })) {
    if (found === undefined || found === null || typeof found === "string") continue;
    const why = `json: cannot unmarshal ${jsonKind(found)} into Go struct field .${field} of type string`;
    throw unrecognized(resource, `couldn't get version/kind; json parse error: ${why}`, request);
  }
  if (resource.typed) {
    const sentVersion = String(given || apiVersion);
    const sentKind = String(kind || resource.kind);
    if (sentVersion !== apiVersion || sentKind !== resource.kind) throw otherType(sentVersion, sentKind, resource, known);
    return kind === resource.kind && given === apiVersion ? value : { ...value, kind: resource.kind, apiVersion };
  }
  if (typeof kind !== "string" || kind === "") {
    const shown = jsonText(value);
    throw unrecognized(resource, `Object 'Kind' is missing in '${shown}'`, request);
  }
  if (given !== apiVersion) throw otherVersion(String(given ?? ""), apiVersion);
  return value;
}

function otherType(apiVersion: string, kind: string, resource: Expected, known: KnownKind): ApiError {
  const version = JSON.stringify(apiVersion.split("/").at(-1));
  return badRequest(
    `${kind} in version ${version} cannot be handled as a ${resource.kind}: ${typeMismatch(apiVersion, kind, resource, known)}`,
  );
}

function typeMismatch(apiVersion: string, kind: string, resource: Expected, known: KnownKind): string {
  if (!known(apiVersion, kind)) return notRegistered(apiVersion, kind);
  return `converting (${apiVersion.split("/").at(-1)}.${kind}) to (${goType(resource)}): unknown conversion`;
}

function otherVersion(given: string, expected: string): ApiError {
  return badRequest(`the API version in the data (${given}) does not match the expected API version (${expected})`);
}

/** The beginning of a body, as it is quoted to whoever sent it. */
function summary(bytes: Uint8Array): string {
  if (bytes.length === 0) return "<empty>";
  const shown = Buffer.from(bytes.subarray(0, 30)).toString(bytes[0] === 0x7b ? "utf8" : "hex");
  return bytes.length > 30 ? `${shown} ...` : shown;
}
