import { InternalError } from "pintle/internal/errors";
import type { Value } from "../values/value.ts";
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  NULL,
  opaque,
  param,
  STRING,
  TIMESTAMP,
  type Type,
  typeOf,
  UINT,
} from "./types.ts";

export type OverloadImplementation = (...args: any[]) => Value;

/** One overload of a function. */
export interface Overload {
  readonly id: string;
  readonly member: boolean;
  readonly args: readonly Type[];
  readonly result: Type;
  readonly run: OverloadImplementation;
  /** The implementation matches a pattern; its first argument is a budget for that. */
  readonly isRegex: boolean;
}

export interface FunctionDeclaration {
  readonly name: string;
  readonly overloads: readonly Overload[];
}

/** `[id, signature, implementation]`; a signature is `string.startsWith(string): bool`, `size(list(A)): int`. */
export type OverloadDefinition = readonly [id: string, signature: string, run: OverloadImplementation, kind?: "regex"];

/** Returns all functions of the given libraries by name. Later libraries add overloads to functions of earlier ones. */
export function declareFunctions(libraries: readonly (readonly OverloadDefinition[])[]): ReadonlyMap<string, FunctionDeclaration> {
  const found = new Map<string, Overload[]>();
  for (const [id, signature, run, kind] of libraries.flat()) {
    const { name, ...types } = parseSignature(signature);
    const overloads = found.get(name) ?? [];
    overloads.push({ id, run, isRegex: kind === "regex", ...types });
    found.set(name, overloads);
  }
  return new Map([...found].map(([name, overloads]) => [name, { name, overloads }]));
}

function parseSignature(signature: string): Omit<Overload, "id" | "run" | "isRegex"> & { readonly name: string } {
  const close = signature.lastIndexOf("): ");
  const open = findOpeningParenthesis(signature, close);
  const callee = signature.slice(0, open);
  const dot = callee.lastIndexOf(".");
  const isMember = dot > 0 && /^[@\w]+$/.test(callee.slice(dot + 1));
  const target = isMember ? callee.slice(0, dot) : undefined;
  const name = isMember ? callee.slice(dot + 1) : callee;
  // `optional.of(T)` is a namespaced function, not a member function of a type `optional`.
  const namespaced = target !== undefined && namespaces.has(target);
  const types = splitTopLevel(signature.slice(open + 1, close)).map(parseType);
  return {
    name: namespaced ? `${target}.${name}` : name,
    member: target !== undefined && !namespaced,
    args: target === undefined || namespaced ? types : [parseType(target), ...types],
    result: parseType(signature.slice(close + 3)),
  };
}

function findOpeningParenthesis(signature: string, close: number): number {
  let depth = 1;
  for (let at = close - 1; at > 0; at--) {
    if (signature[at] === ")") depth++;
    else if (signature[at] === "(" && --depth === 0) return at;
  }
  throw new InternalError(`not a function signature: ${signature}`);
}

const namespaces = new Set(["optional", "sets", "lists", "strings", "ip", "format", "cel", "jsonpatch"]);

const simpleTypes: Readonly<Record<string, Type>> = {
  bool: BOOL,
  int: INT,
  uint: UINT,
  double: DOUBLE,
  string: STRING,
  bytes: BYTES,
  duration: DURATION,
  timestamp: TIMESTAMP,
  null: NULL,
  dyn: DYN,
};

function parseType(text: string): Type {
  const [, name, inner] = /^([\w.]+)(?:\((.*)\))?$/.exec(text.trim())!;
  const params = inner === undefined ? [] : splitTopLevel(inner).map(parseType);
  if (name === "list") return listOf(params[0]!);
  if (name === "map") return mapOf(params[0]!, params[1]!);
  if (name === "type") return typeOf(params[0]);
  if (params.length === 0 && /^[A-Z]$/.test(name!)) return param(name!);
  return simpleTypes[name!] ?? opaque(name!, ...params);
}

/** Splits at commas outside of parentheses. */
function splitTopLevel(text: string): string[] {
  const parts = text.match(/[^,()]+(?:\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))?/g) ?? [];
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}
