import type { JsonObject } from "pintle/kinds";
import {
  type CrdSpec,
  compileSchema,
  crdWarnings,
  DecodeError,
  defaultCrd,
  type JsonSchema,
  type ScalePaths,
  validateCrd,
} from "../../src/schema/index.ts";
import { ApiError, badRequest, type FieldError, fieldErrorText, invalid } from "../../src/status/index.ts";
import { type Answer, type Case, group, kind, named, type Suite } from "./suite.ts";

/** What our engine makes of the cases of a suite, put together the way the request pipeline does it. */
export function answers(suite: Suite): Answer[] {
  const { scale, status } = (suite.version?.["subresources"] ?? {}) as { scale?: ScalePaths; status?: object };
  const schema = compileSchema(suite.schema as JsonSchema, { scale });
  const before = compileSchema((suite.before ?? suite.schema) as JsonSchema, { scale });
  return suite.cases.map((one, index) => {
    try {
      const { object, unknown } = schema.prune(named(suite, one.object, index));
      if (one.strict && unknown.length > 0) throw strict(unknown);
      let next = schema.default(object);
      const old = one.old && schema.default(schema.prune(before.default(before.prune(named(suite, one.old, index)).object)).object);
      if (status !== undefined) next = keepOtherPart(next, old, one);
      const warnings = unknown.map((path) => `unknown field "${path}"`);
      const warn = (error: FieldError) => warnings.push(fieldErrorText(error));
      const errors = old !== undefined && one.status ? schema.validateStatus(next, old, warn) : schema.validate(next, old, warn);
      if (errors.length > 0) throw refused(suite, index, errors);
      const { apiVersion: _, kind: __, metadata: ___, ...rest } = next;
      return { code: old === undefined ? 201 : 200, object: rest, ...(warnings.length > 0 && { warnings }) };
    } catch (error) {
      return failure(suite, error);
    }
  });
}

/** What we make of a CRD: the strategy's part is to set the stored versions. */
export function crdAnswer(crd: JsonObject): Answer {
  const filled = defaultCrd(crd) as JsonObject & { spec: CrdSpec; metadata: { name: string } };
  const stored = filled.spec.versions?.find(({ storage }) => storage);
  const errors = validateCrd({ ...(filled as JsonObject), status: { storedVersions: stored === undefined ? [] : [stored.name] } });
  const warnings = crdWarnings(filled);
  if (errors.length === 0)
    return { code: 201, object: { spec: filled["spec"] as unknown as JsonObject }, ...(warnings.length > 0 && { warnings }) };
  const kind = { group: "apiextensions.k8s.io", resource: "CustomResourceDefinition" };
  return answerOf(invalid(kind, filled.metadata.name, errors));
}

/** A write to one endpoint leaves what belongs to the other alone. */
function keepOtherPart(next: JsonObject, old: JsonObject | undefined, one: Case): JsonObject {
  const from = one.status ? next : old;
  const { status: _, ...rest } = one.status ? old! : next;
  return from?.["status"] === undefined ? rest : { ...rest, status: from["status"] };
}

function failure(suite: Suite, error: unknown): Answer {
  const known = error instanceof DecodeError ? badRequest(cannotHandle(suite, error)) : error;
  if (!(known instanceof ApiError)) throw known;
  return answerOf(known);
}

function answerOf(error: ApiError): Answer {
  const { code, reason, message, details } = error.status;
  return { code: code!, reason, message, ...(details?.causes && { causes: details.causes as unknown as JsonObject[] }) };
}

function cannotHandle(suite: Suite, error: DecodeError): string {
  return `${kind(suite)} in version "v1" cannot be handled as a ${kind(suite)}: ${error.message}`;
}

function refused(suite: Suite, index: number, errors: readonly FieldError[]): ApiError {
  return invalid({ group, resource: kind(suite) }, `case-${index}`, errors);
}

function strict(unknown: readonly string[]): DecodeError {
  return new DecodeError(`strict decoding error: ${unknown.map((path) => `unknown field "${path}"`).join(", ")}`);
}

/** Two servers may report the same errors in another order. */
export function comparable(answer: Answer): unknown {
  const { message, causes, warnings, ...rest } = answer;
  return {
    ...rest,
    ...(message !== undefined && { message: sortedList(message) }),
    ...(causes && { causes: causes.map((cause) => JSON.stringify(cause, ["reason", "message", "field"])).sort() }),
    ...(warnings && { warnings: [...warnings].sort() }),
  };
}

function sortedList(message: string): string {
  const list = /^(.* is invalid: )\[(.*)\]$/s.exec(message);
  return list === null ? message : `${list[1]}[${[...list[2]!].sort().join("")}]`;
}
