import { quoteGoString } from "pintle/internal/go-format";
import { isJsonObject } from "pintle/internal/json";
import type { Json, JsonObject } from "pintle/kinds";
import { applyJsonPatch } from "../../apply/index.ts";
import { BodyDecodeError, decodeJson } from "../../codec/index.ts";
import { ApiError } from "../../status/index.ts";

/** A patch that cannot be decoded. */
export class UndecodablePatchError extends Error {
  override readonly name = "UndecodablePatch";
}
/** A patch that does not apply. */
export class PatchError extends Error {
  override readonly name = "PatchFailure";
}

/** Parses the operations of a JSON patch. Throws `UndecodablePatchError`. */
export function parsePatchOperations(text: string): readonly JsonObject[] {
  let value: Json;
  try {
    ({ value } = decodeJson(text));
  } catch (error) {
    throw error instanceof BodyDecodeError ? new UndecodablePatchError(error.message) : error;
  }
  if (!Array.isArray(value))
    throw new UndecodablePatchError(`json: cannot unmarshal ${jsonTypeName(value)} into Go value of type jsonpatch.Patch`);
  for (const operation of value as readonly Json[]) {
    if (!isJsonObject(operation))
      throw new UndecodablePatchError(`json: cannot unmarshal ${jsonTypeName(operation)} into Go value of type jsonpatch.Operation`);
  }
  return value as readonly JsonObject[];
}

function jsonTypeName(value: Json): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
}

/** Applies the operations in order. Throws `PatchError` with the text of Go's library. */
export function applyPatchOperations(object: JsonObject, operations: readonly JsonObject[]): JsonObject {
  let document: Json = object;
  for (const operation of operations) {
    const before = document;
    try {
      document = applyJsonPatch(before, [operation]);
    } catch (error) {
      throw error instanceof ApiError ? new PatchError(formatPatchError(before, operation)) : error;
    }
  }
  return document as JsonObject;
}

function formatPatchError(document: Json, operation: JsonObject): string {
  const { op = "unknown" } = operation;
  switch (op) {
    case "add":
    case "remove":
    case "replace":
      return formatChangeError(document, op, operation["path"]);
    case "test":
      return formatTestError(document, operation["path"]);
    case "move":
    case "copy":
      return formatMoveError(document, op, operation);
    default:
      return `Unexpected kind: ${String(op)}`;
  }
}

function formatChangeError(document: Json, op: "add" | "remove" | "replace", path: Json | undefined): string {
  if (typeof path !== "string") {
    return op === "replace"
      ? "replace operation failed to decode path: operation missing path field: missing value"
      : `${op} operation failed to decode path: missing value`;
  }
  const target = findPatchTarget(document, path);
  if (target === undefined) {
    return `${op} operation does not apply: doc is missing path: ${op === "replace" ? path : quoteGoString(path)}: missing value`;
  }
  if (op === "replace") return `replace operation does not apply: doc is missing key: ${path}: missing value`;
  return `error in ${op} for path: '${path}': ${op === "add" ? formatAddError(target) : formatRemoveError(target)}`;
}

function formatAddError({ container, key }: PatchTarget): string {
  if (!Array.isArray(container)) return "missing value";
  return /^[+-]?\d+$/.test(key) ? invalidIndex(key) : `value was not a proper array index: '${key}': ${notNumber(key)}`;
}

function formatRemoveError({ container, key }: PatchTarget): string {
  if (!Array.isArray(container)) return `Unable to remove nonexistent key: ${key}: missing value`;
  return /^[+-]?\d+$/.test(key) ? invalidIndex(key) : notNumber(key);
}

const invalidIndex = (key: string) => `Unable to access invalid index: ${Number(key)}: invalid index referenced`;
const notNumber = (key: string) => `strconv.Atoi: parsing ${quoteGoString(key)}: invalid syntax`;

function formatTestError(document: Json, path: Json | undefined): string {
  if (typeof path !== "string") return "test operation failed to decode path: operation missing path field: missing value";
  const target = path === "" ? { container: document, key: "" } : findPatchTarget(document, path);
  if (target === undefined) return `test operation does not apply: is missing path: ${path}: missing value`;
  return `testing value ${path} failed: test failed`;
}

function formatMoveError(document: Json, op: "move" | "copy", { from, path }: JsonObject): string {
  if (typeof from !== "string") return `${op} operation failed to decode from: operation, missing from field: missing value`;
  const source = findPatchTarget(document, from);
  if (source === undefined) return `${op} operation does not apply: doc is missing from path: ${from}: missing value`;
  if (op === "move" && !Array.isArray(source.container)) {
    return `error in move for path: '${source.key}': Unable to remove nonexistent key: ${source.key}: missing value`;
  }
  return `${op} operation does not apply: doc is missing destination path: ${String(path)}: missing value`;
}

interface PatchTarget {
  readonly container: Json;
  readonly key: string;
}

/** Returns the container that a JSON pointer leads to, and the key in it. */
function findPatchTarget(document: Json, path: string): PatchTarget | undefined {
  const parts = path
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  const key = parts.pop();
  if (key === undefined) return undefined;
  let container: Json | undefined = document;
  for (const part of parts) {
    container = Array.isArray(container) ? container.at(Number(part)) : isJsonObject(container) ? container[part] : undefined;
  }
  return typeof container === "object" && container !== null ? { container, key } : undefined;
}
