import { isObject, type Json, type JsonObject } from "pintle/kinds";
import { jsonPatch } from "../../apply/index.ts";
import { BodyError, decodeJson } from "../../codec/index.ts";
import { ApiError, goQuote } from "../../status/index.ts";

/** A patch that is none. */
export class UndecodablePatch extends Error {
  override readonly name = "UndecodablePatch";
}
/** A patch that does not apply. */
export class PatchFailure extends Error {
  override readonly name = "PatchFailure";
}

/** The operations in the text of a JSON Patch. Throws an UndecodablePatch. */
export function operationsOf(text: string): readonly JsonObject[] {
  let value: Json;
  try {
    ({ value } = decodeJson(text));
  } catch (error) {
    throw error instanceof BodyError ? new UndecodablePatch(error.message) : error;
  }
  if (!Array.isArray(value)) throw new UndecodablePatch(`json: cannot unmarshal ${jsonName(value)} into Go value of type jsonpatch.Patch`);
  for (const operation of value as readonly Json[]) {
    if (!isObject(operation))
      throw new UndecodablePatch(`json: cannot unmarshal ${jsonName(operation)} into Go value of type jsonpatch.Operation`);
  }
  return value as readonly JsonObject[];
}

function jsonName(value: Json): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
}

/** The object with all operations applied, one after the other. Throws a PatchFailure with the words of Go's library. */
export function patched(object: JsonObject, operations: readonly JsonObject[]): JsonObject {
  let document: Json = object;
  for (const operation of operations) {
    const before = document;
    try {
      document = jsonPatch(before, [operation]);
    } catch (error) {
      throw error instanceof ApiError ? new PatchFailure(problem(before, operation)) : error;
    }
  }
  return document as JsonObject;
}

function problem(document: Json, operation: JsonObject): string {
  const { op = "unknown" } = operation;
  switch (op) {
    case "add":
    case "remove":
    case "replace":
      return changeProblem(document, op, operation["path"]);
    case "test":
      return testProblem(document, operation["path"]);
    case "move":
    case "copy":
      return moveProblem(document, op, operation);
    default:
      return `Unexpected kind: ${String(op)}`;
  }
}

function changeProblem(document: Json, op: "add" | "remove" | "replace", path: Json | undefined): string {
  if (typeof path !== "string") {
    return op === "replace"
      ? "replace operation failed to decode path: operation missing path field: missing value"
      : `${op} operation failed to decode path: missing value`;
  }
  const place = find(document, path);
  if (place === undefined) {
    return `${op} operation does not apply: doc is missing path: ${op === "replace" ? path : goQuote(path)}: missing value`;
  }
  if (op === "replace") return `replace operation does not apply: doc is missing key: ${path}: missing value`;
  return `error in ${op} for path: '${path}': ${op === "add" ? addProblem(place) : removeProblem(place)}`;
}

function addProblem({ container, key }: Place): string {
  if (!Array.isArray(container)) return "missing value";
  return /^[+-]?\d+$/.test(key) ? invalidIndex(key) : `value was not a proper array index: '${key}': ${notNumber(key)}`;
}

function removeProblem({ container, key }: Place): string {
  if (!Array.isArray(container)) return `Unable to remove nonexistent key: ${key}: missing value`;
  return /^[+-]?\d+$/.test(key) ? invalidIndex(key) : notNumber(key);
}

const invalidIndex = (key: string) => `Unable to access invalid index: ${Number(key)}: invalid index referenced`;
const notNumber = (key: string) => `strconv.Atoi: parsing ${goQuote(key)}: invalid syntax`;

function testProblem(document: Json, path: Json | undefined): string {
  if (typeof path !== "string") return "test operation failed to decode path: operation missing path field: missing value";
  const place = path === "" ? { container: document, key: "" } : find(document, path);
  if (place === undefined) return `test operation does not apply: is missing path: ${path}: missing value`;
  return `testing value ${path} failed: test failed`;
}

function moveProblem(document: Json, op: "move" | "copy", { from, path }: JsonObject): string {
  if (typeof from !== "string") return `${op} operation failed to decode from: operation, missing from field: missing value`;
  const source = find(document, from);
  if (source === undefined) return `${op} operation does not apply: doc is missing from path: ${from}: missing value`;
  if (op === "move" && !Array.isArray(source.container)) {
    return `error in move for path: '${source.key}': Unable to remove nonexistent key: ${source.key}: missing value`;
  }
  return `${op} operation does not apply: doc is missing destination path: ${String(path)}: missing value`;
}

interface Place {
  readonly container: Json;
  readonly key: string;
}

/** The container a pointer leads into, and the key there. */
function find(document: Json, path: string): Place | undefined {
  const parts = path
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  const key = parts.pop();
  if (key === undefined) return undefined;
  let container: Json | undefined = document;
  for (const part of parts) {
    container = Array.isArray(container) ? container.at(Number(part)) : isObject(container) ? container[part] : undefined;
  }
  return typeof container === "object" && container !== null ? { container, key } : undefined;
}
