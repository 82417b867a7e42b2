import { isJsonObject } from "pintle/internal/json";
import { isJsonEqual } from "pintle/internal/merge";
import type { Json } from "pintle/kinds";
import { ApiError, badRequest } from "../../status/index.ts";
import { cannotUnmarshalMessage, unprocessablePatch } from "../patch-errors.ts";

const MAX_OPERATIONS = 10_000;
/** Limit of the copied bytes of one patch: a short patch could otherwise double an object forty times. */
const MAX_COPIED = 3 * 1024 * 1024;

/** Applies a JSON patch (RFC 6902) as upstream's library does. Throws `ApiError` when the patch is malformed or does not apply. */
export function applyJsonPatch(document: Json, operations: Json): Json {
  if (!Array.isArray(operations)) throw badRequest(`error decoding patch: ${cannotUnmarshalMessage(operations, "[]handlers.jsonPatchOp")}`);
  for (const operation of operations as readonly Json[]) checkOperation(operation);
  if (operations.length > MAX_OPERATIONS) {
    const text = `The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${operations.length}`;
    throw new ApiError(413, "RequestEntityTooLarge", `Request entity too large: ${text}`);
  }
  const budget = { copied: 0 };
  // A null is an empty operation.
  return (operations as readonly (JsonPatchOperation | null)[]).reduce<Json>(
    (patched, each) => applyOperation(patched, each ?? {}, budget),
    document,
  );
}

const STRING_FIELDS = ["op", "path", "from"] as const;

function checkOperation(operation: Json): void {
  if (operation === null) return;
  if (!isJsonObject(operation)) throw badRequest(`error decoding patch: ${cannotUnmarshalMessage(operation, "handlers.jsonPatchOp")}`);
  for (const field of STRING_FIELDS) {
    const value = operation[field] ?? null;
    if (value === null || typeof value === "string") continue;
    const why = cannotUnmarshalMessage(value as Json, "string").replace("Go value", `Go struct field jsonPatchOp.${field}`);
    throw badRequest(`error decoding patch: ${why}`);
  }
}

interface JsonPatchOperation {
  readonly op?: Json | undefined;
  readonly path?: Json | undefined;
  readonly from?: Json | undefined;
  readonly value?: Json | undefined;
}

function applyOperation(document: Json, { op, path, from, value = null }: JsonPatchOperation, budget: { copied: number }): Json {
  switch (op) {
    case "add":
      return updateAt(document, parsePointer(path), (parent, key) => addValue(parent, key, value));
    case "remove":
      return updateAt(document, parsePointer(path), removeValue);
    case "replace":
      return path === ""
        ? checkReplacement(value)
        : updateAt(document, parsePointer(path), (parent, key) => replaceValue(parent, key, value));
    case "move": {
      const moved = valueAt(document, parsePointer(from));
      return updateAt(updateAt(document, parsePointer(from), removeValue), parsePointer(path), (parent, key) =>
        addValue(parent, key, moved ?? null),
      );
    }
    case "copy": {
      const copied = valueAt(document, parsePointer(from));
      budget.copied += JSON.stringify(copied ?? null, withoutBigInts).length;
      if (budget.copied > MAX_COPIED) throw unprocessablePatch();
      return updateAt(document, parsePointer(path), (parent, key) => addValue(parent, key, copied ?? null));
    }
    case "test":
      if (!isJsonEqual(path === "" ? document : (valueAt(document, parsePointer(path)) ?? null), value)) throw unprocessablePatch();
      return document;
    default:
      throw unprocessablePatch();
  }
}

/** Text before the first slash is ignored. */
function parsePointer(path: Json | undefined): readonly string[] {
  if (typeof path !== "string" || !path.includes("/")) throw unprocessablePatch();
  return path
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

type JsonContainer = readonly Json[] | { readonly [key: string]: Json | undefined };

/** Copies the containers along the path and changes the last one. */
function updateAt(document: Json, path: readonly string[], change: (parent: JsonContainer, key: string) => Json): Json {
  const parent = toContainer(document);
  const [key, ...rest] = path as readonly [string, ...string[]];
  if (rest.length === 0) return change(parent, key);
  const inner = updateAt(childAt(parent, key) ?? null, rest, change);
  if (isList(parent)) return parent.with(parseIndex(key, parent.length), inner);
  return { ...parent, [key]: inner };
}

function addValue(parent: JsonContainer, key: string, value: Json): Json {
  if (!isList(parent)) return { ...parent, [key]: value };
  return key === "-" ? [...parent, value] : parent.toSpliced(parseIndex(key, parent.length + 1), 0, value);
}

function removeValue(parent: JsonContainer, key: string): Json {
  if (isList(parent)) return parent.toSpliced(parseIndex(key, parent.length), 1);
  if (!Object.hasOwn(parent, key)) throw unprocessablePatch();
  const { [key]: _, ...rest } = parent;
  return rest;
}

/** A missing field can be replaced; a missing list item cannot. */
function replaceValue(parent: JsonContainer, key: string, value: Json): Json {
  return isList(parent) ? parent.with(parseIndex(key, parent.length), value) : { ...parent, [key]: value };
}

function checkReplacement(value: Json): Json {
  if (typeof value !== "object" || value === null) throw unprocessablePatch();
  return value;
}

function valueAt(document: Json, path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>((value, key) => childAt(toContainer(value ?? null), key), document);
}

function childAt(parent: JsonContainer, key: string): Json | undefined {
  if (isList(parent)) return parent[parseIndex(key, parent.length)];
  return Object.hasOwn(parent, key) ? parent[key] : undefined;
}

function toContainer(value: Json): JsonContainer {
  if (typeof value !== "object" || value === null) throw unprocessablePatch();
  return value;
}

/** A negative index counts from the end. */
function parseIndex(key: string, length: number): number {
  const parsed = /^[+-]?\d+$/.test(key) ? Number(key) : Number.NaN;
  const index = parsed < 0 ? parsed + length : parsed;
  if (!(index >= 0 && index < length)) throw unprocessablePatch();
  return index;
}

function isList(value: JsonContainer): value is readonly Json[] {
  return Array.isArray(value);
}

const withoutBigInts = (_key: string, value: unknown) => (typeof value === "bigint" ? Number(value) : value);
