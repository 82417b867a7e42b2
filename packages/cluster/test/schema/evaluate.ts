import type { JsonObject } from "pintle/kinds";
import { type CrdSpec, defaultCrd, getCrdWarnings, validateCrd } from "../../src/schema/crd/index.ts";
import { DecodeError } from "../../src/schema/decode/index.ts";
import { compileSchema, type JsonSchema, type ScalePaths } from "../../src/schema/index.ts";
import { ApiError, badRequest, type FieldError, formatFieldError, invalid } from "../../src/status/index.ts";
import { createObject, getKind, group, type SchemaCase, type SchemaResponse, type SchemaSuite } from "./suite.ts";

/** Evaluates the cases of a suite with the schema engine, in the order of the request pipeline. */
export function evaluateSuite(suite: SchemaSuite): SchemaResponse[] {
  const { scale, status } = (suite.version?.["subresources"] ?? {}) as { scale?: ScalePaths; status?: object };
  const schema = compileSchema(suite.schema as JsonSchema, { scale });
  const before = compileSchema((suite.before ?? suite.schema) as JsonSchema, { scale });
  return suite.cases.map((one, index) => {
    try {
      const { object, unknown } = schema.prune(createObject(suite, one.object, index));
      if (one.strict && unknown.length > 0) throw createStrictDecodingError(unknown);
      let next = schema.default(object);
      const old = one.old && schema.default(schema.prune(before.default(before.prune(createObject(suite, one.old, index)).object)).object);
      if (status !== undefined) next = keepOtherSubresource(next, old, one);
      const warnings = unknown.map((path) => `unknown field "${path}"`);
      const warn = (error: FieldError) => warnings.push(formatFieldError(error));
      const errors = old !== undefined && one.status ? schema.validateStatus(next, old, warn) : schema.validate(next, old, warn);
      if (errors.length > 0) throw createInvalidError(suite, index, errors);
      const { apiVersion: _, kind: __, metadata: ___, ...rest } = next;
      return { code: old === undefined ? 201 : 200, object: rest, ...(warnings.length > 0 && { warnings }) };
    } catch (error) {
      return toErrorResponse(suite, error);
    }
  });
}

/** Evaluates a CRD: defaults, then validates it with the stored versions that the strategy would set. */
export function evaluateCrd(crd: JsonObject): SchemaResponse {
  const filled = defaultCrd(crd) as JsonObject & { spec: CrdSpec; metadata: { name: string } };
  const stored = filled.spec.versions?.find(({ storage }) => storage);
  const errors = validateCrd({ ...(filled as JsonObject), status: { storedVersions: stored === undefined ? [] : [stored.name] } });
  const warnings = getCrdWarnings(filled);
  if (errors.length === 0)
    return { code: 201, object: { spec: filled["spec"] as unknown as JsonObject }, ...(warnings.length > 0 && { warnings }) };
  const kind = { group: "apiextensions.k8s.io", resource: "CustomResourceDefinition" };
  return toResponse(invalid(kind, filled.metadata.name, errors));
}

/** Keeps the part of the object that the endpoint does not write. */
function keepOtherSubresource(next: JsonObject, old: JsonObject | undefined, one: SchemaCase): JsonObject {
  const from = one.status ? next : old;
  const { status: _, ...rest } = one.status ? old! : next;
  return from?.["status"] === undefined ? rest : { ...rest, status: from["status"] };
}

function toErrorResponse(suite: SchemaSuite, error: unknown): SchemaResponse {
  const known = error instanceof DecodeError ? badRequest(formatDecodeMessage(suite, error)) : error;
  if (!(known instanceof ApiError)) throw known;
  return toResponse(known);
}

function toResponse(error: ApiError): SchemaResponse {
  const { code, reason, message, details } = error.status;
  return { code: code!, reason, message, ...(details?.causes && { causes: details.causes as unknown as JsonObject[] }) };
}

function formatDecodeMessage(suite: SchemaSuite, error: DecodeError): string {
  return `${getKind(suite)} in version "v1" cannot be handled as a ${getKind(suite)}: ${error.message}`;
}

function createInvalidError(suite: SchemaSuite, index: number, errors: readonly FieldError[]): ApiError {
  return invalid({ group, resource: getKind(suite) }, `case-${index}`, errors);
}

function createStrictDecodingError(unknown: readonly string[]): DecodeError {
  return new DecodeError(`strict decoding error: ${unknown.map((path) => `unknown field "${path}"`).join(", ")}`);
}

/** Sorts errors and warnings, because their order differs between API servers. */
export function normalizeResponse(response: SchemaResponse): unknown {
  const { message, causes, warnings, ...rest } = response;
  return {
    ...rest,
    ...(message !== undefined && { message: sortErrorList(message) }),
    ...(causes && { causes: causes.map((cause) => JSON.stringify(cause, ["reason", "message", "field"])).sort() }),
    ...(warnings && { warnings: [...warnings].sort() }),
  };
}

function sortErrorList(message: string): string {
  const list = /^(.* is invalid: )\[(.*)\]$/s.exec(message);
  return list === null ? message : `${list[1]}[${[...list[2]!].sort().join("")}]`;
}
