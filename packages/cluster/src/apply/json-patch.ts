import { isObject, type Json } from "pintle/kinds";
import { equal } from "pintle/merge";
import { ApiError, badRequest } from "../status/index.ts";
import { cannotUnmarshal, unprocessable } from "./refusals.ts";

const MAX_OPERATIONS = 10_000;
/** How much all copies of one patch may hold: without it a short patch doubles an object forty times. */
const MAX_COPIED = 3 * 1024 * 1024;

/** RFC 6902, as the server's library reads it; throws an ApiError when the patch is none or does not apply. */
export function jsonPatch(document: Json, operations: Json): Json {
  if (!Array.isArray(operations)) throw badRequest(`error decoding patch: ${cannotUnmarshal(operations, "[]handlers.jsonPatchOp")}`);
  for (const operation of operations as readonly Json[]) checkOperation(operation);
  if (operations.length > MAX_OPERATIONS) {
    const text = `The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${operations.length}`;
    throw new ApiError(413, "RequestEntityTooLarge", `Request entity too large: ${text}`);
  }
  const budget = { copied: 0 };
  // A null is an operation with nothing in it.
  return (operations as readonly (Operation | null)[]).reduce<Json>((patched, each) => applied(patched, each ?? {}, budget), document);
}

const TEXTS = ["op", "path", "from"] as const;

function checkOperation(operation: Json): void {
  if (operation === null) return;
  if (!isObject(operation)) throw badRequest(`error decoding patch: ${cannotUnmarshal(operation, "handlers.jsonPatchOp")}`);
  for (const field of TEXTS) {
    const value = operation[field] ?? null;
    if (value === null || typeof value === "string") continue;
    const why = cannotUnmarshal(value as Json, "string").replace("Go value", `Go struct field jsonPatchOp.${field}`);
    throw badRequest(`error decoding patch: ${why}`);
  }
}

interface Operation {
  readonly op?: Json | undefined;
  readonly path?: Json | undefined;
  readonly from?: Json | undefined;
  readonly value?: Json | undefined;
}

function applied(document: Json, { op, path, from, value = null }: Operation, budget: { copied: number }): Json {
  switch (op) {
    case "add":
      return changed(document, pointer(path), (parent, key) => added(parent, key, value));
    case "remove":
      return changed(document, pointer(path), removed);
    case "replace":
      return path === "" ? replacement(value) : changed(document, pointer(path), (parent, key) => replaced(parent, key, value));
    case "move": {
      const moved = valueAt(document, pointer(from));
      return changed(changed(document, pointer(from), removed), pointer(path), (parent, key) => added(parent, key, moved ?? null));
    }
    case "copy": {
      const copied = valueAt(document, pointer(from));
      budget.copied += JSON.stringify(copied ?? null, withoutBigInts).length;
      if (budget.copied > MAX_COPIED) throw unprocessable();
      return changed(document, pointer(path), (parent, key) => added(parent, key, copied ?? null));
    }
    case "test":
      if (!equal(path === "" ? document : (valueAt(document, pointer(path)) ?? null), value)) throw unprocessable();
      return document;
    default:
      throw unprocessable();
  }
}

/** Everything before the first slash is of no account. */
function pointer(path: Json | undefined): readonly string[] {
  if (typeof path !== "string" || !path.includes("/")) throw unprocessable();
  return path
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

type Container = readonly Json[] | { readonly [key: string]: Json | undefined };

/** A copy of the containers on the way, with the last of them changed. */
function changed(document: Json, path: readonly string[], change: (parent: Container, key: string) => Json): Json {
  const parent = container(document);
  const [key, ...rest] = path as readonly [string, ...string[]];
  if (rest.length === 0) return change(parent, key);
  const inner = changed(step(parent, key) ?? null, rest, change);
  if (isList(parent)) return parent.with(position(key, parent.length), inner);
  return { ...parent, [key]: inner };
}

function added(parent: Container, key: string, value: Json): Json {
  if (!isList(parent)) return { ...parent, [key]: value };
  return key === "-" ? [...parent, value] : parent.toSpliced(position(key, parent.length + 1), 0, value);
}

function removed(parent: Container, key: string): Json {
  if (isList(parent)) return parent.toSpliced(position(key, parent.length), 1);
  if (!Object.hasOwn(parent, key)) throw unprocessable();
  const { [key]: _, ...rest } = parent;
  return rest;
}

/** A field that is not there yet may be replaced too; an item may not. */
function replaced(parent: Container, key: string, value: Json): Json {
  return isList(parent) ? parent.with(position(key, parent.length), value) : { ...parent, [key]: value };
}

function replacement(value: Json): Json {
  if (typeof value !== "object" || value === null) throw unprocessable();
  return value;
}

function valueAt(document: Json, path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>((value, key) => step(container(value ?? null), key), document);
}

function step(parent: Container, key: string): Json | undefined {
  if (isList(parent)) return parent[position(key, parent.length)];
  return Object.hasOwn(parent, key) ? parent[key] : undefined;
}

function container(value: Json): Container {
  if (typeof value !== "object" || value === null) throw unprocessable();
  return value;
}

/** Negative places count from the end. */
function position(key: string, length: number): number {
  const place = /^[+-]?\d+$/.test(key) ? Number(key) : Number.NaN;
  const found = place < 0 ? place + length : place;
  if (!(found >= 0 && found < length)) throw unprocessable();
  return found;
}

function isList(value: Container): value is readonly Json[] {
  return Array.isArray(value);
}

const withoutBigInts = (_key: string, value: unknown) => (typeof value === "bigint" ? Number(value) : value);
