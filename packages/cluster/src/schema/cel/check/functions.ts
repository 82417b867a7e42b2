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

export type Implementation = (...args: any[]) => Value;

/** One way to call a function. */
export interface Overload {
  readonly id: string;
  readonly member: boolean;
  readonly args: readonly Type[];
  readonly result: Type;
  readonly run: Implementation;
}

export interface FunctionDeclaration {
  readonly name: string;
  readonly overloads: readonly Overload[];
}

/** `[id, signature, implementation]`; a signature is `string.startsWith(string): bool`, `size(list(A)): int`. */
export type Declared = readonly [id: string, signature: string, run: Implementation];

/** All functions of some libraries, by name. Later libraries add overloads to functions of earlier ones. */
export function declareFunctions(libraries: readonly (readonly Declared[])[]): ReadonlyMap<string, FunctionDeclaration> {
  const found = new Map<string, Overload[]>();
  for (const [id, signature, run] of libraries.flat()) {
    const { name, ...types } = parseSignature(signature);
    const overloads = found.get(name) ?? [];
    overloads.push({ id, run, ...types });
    found.set(name, overloads);
  }
  return new Map([...found].map(([name, overloads]) => [name, { name, overloads }]));
}

const shape = /^(?:(\S+?(?:\([^()]*(?:\([^()]*\)[^()]*)*\))?)\.(?=[@\w]+\())?([^\s()]+|[^(]+)\((.*)\): (.+)$/;

function parseSignature(signature: string): Omit<Overload, "id" | "run"> & { readonly name: string } {
  const match = shape.exec(signature);
  if (match === null) throw new SyntaxError(`no function signature: ${signature}`);
  const [, target, name, args, result] = match;
  // `optional.of(T)` is a function in a namespace, not a member of something called optional.
  const namespaced = target !== undefined && namespaces.has(target);
  const types = splitTop(args!).map(parseType);
  return {
    name: namespaced ? `${target}.${name}` : name!,
    member: target !== undefined && !namespaced,
    args: target === undefined || namespaced ? types : [parseType(target), ...types],
    result: parseType(result!),
  };
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
  const params = inner === undefined ? [] : splitTop(inner).map(parseType);
  if (name === "list") return listOf(params[0]!);
  if (name === "map") return mapOf(params[0]!, params[1]!);
  if (name === "type") return typeOf(params[0]);
  if (params.length === 0 && /^[A-Z]$/.test(name!)) return param(name!);
  return simpleTypes[name!] ?? opaque(name!, ...params);
}

/** Splits at commas that stand in no parentheses. */
function splitTop(text: string): string[] {
  const parts = text.match(/[^,()]+(?:\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))?/g) ?? [];
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}
