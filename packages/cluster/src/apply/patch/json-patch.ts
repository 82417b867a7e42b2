import { isJsonObject, setOwnProperty } from "pintle/internal/json";
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
  const state: PatchState = { copied: 0, owned: new WeakSet() };
  // A null is an empty operation.
  return (operations as readonly (JsonPatchOperation | null)[]).reduce<Json>(
    (patched, each) => applyOperation(patched, each ?? {}, state),
    document,
  );
}

interface PatchState {
  /** Bytes that were copied by operations. */
  copied: number;
  /** Containers that this patch created: they are changed in place. Copying them for every operation would take quadratic time. */
  readonly owned: WeakSet<object>;
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

function applyOperation(document: Json, { op, path, from, value = null }: JsonPatchOperation, state: PatchState): Json {
  const updateAt = (target: Json, pointer: Json | undefined, change: ContainerChange) =>
    updateContainer(target, parsePointer(pointer), 0, change, state.owned);
  switch (op) {
    case "add":
      return updateAt(document, path, (parent, key) => addValue(parent, key, value));
    case "remove":
      return updateAt(document, path, removeValue);
    case "replace":
      return path === "" ? checkReplacement(value) : updateAt(document, path, (parent, key) => replaceValue(parent, key, value));
    case "move": {
      const moved = valueAt(document, parsePointer(from));
      return updateAt(updateAt(document, from, removeValue), path, (parent, key) => addValue(parent, key, moved ?? null));
    }
    case "copy": {
      const copied = valueAt(document, parsePointer(from));
      state.copied += JSON.stringify(copied ?? null, withoutBigInts).length;
      if (state.copied > MAX_COPIED) throw unprocessablePatch();
      const copy = structuredClone(copied ?? null);
      return updateAt(document, path, (parent, key) => addValue(parent, key, copy));
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

type JsonContainer = Json[] | { [key: string]: Json | undefined };
/** Changes a container in place. */
type ContainerChange = (parent: JsonContainer, key: string) => void;

/** Copies the containers along the path, unless the patch owns them, and changes the last one. */
function updateContainer(document: Json, path: readonly string[], depth: number, change: ContainerChange, owned: WeakSet<object>): Json {
  const parent = toOwned(toContainer(document), owned);
  const key = path[depth] as string;
  if (depth === path.length - 1) change(parent, key);
  else {
    const inner = updateContainer(childAt(parent, key) ?? null, path, depth + 1, change, owned);
    if (isList(parent)) parent[parseIndex(key, parent.length)] = inner;
    else setOwnProperty(parent, key, inner);
  }
  return parent as Json;
}

function toOwned(container: JsonContainer, owned: WeakSet<object>): JsonContainer {
  if (owned.has(container)) return container;
  const copy = isList(container) ? [...container] : { ...container };
  owned.add(copy);
  return copy;
}

function addValue(parent: JsonContainer, key: string, value: Json): void {
  if (!isList(parent)) setOwnProperty(parent, key, value);
  else if (key === "-") parent.push(value);
  else parent.splice(parseIndex(key, parent.length + 1), 0, value);
}

function removeValue(parent: JsonContainer, key: string): void {
  if (isList(parent)) parent.splice(parseIndex(key, parent.length), 1);
  else if (Object.hasOwn(parent, key)) delete parent[key];
  else throw unprocessablePatch();
}

/** A missing field can be replaced; a missing list item cannot. */
function replaceValue(parent: JsonContainer, key: string, value: Json): void {
  if (isList(parent)) parent[parseIndex(key, parent.length)] = value;
  else setOwnProperty(parent, key, value);
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
  return value as JsonContainer;
}

/** A negative index counts from the end. */
function parseIndex(key: string, length: number): number {
  const parsed = /^[+-]?\d+$/.test(key) ? Number(key) : Number.NaN;
  const index = parsed < 0 ? parsed + length : parsed;
  if (!(index >= 0 && index < length)) throw unprocessablePatch();
  return index;
}

function isList(value: JsonContainer): value is Json[] {
  return Array.isArray(value);
}

const withoutBigInts = (_key: string, value: unknown) => (typeof value === "bigint" ? Number(value) : value);
