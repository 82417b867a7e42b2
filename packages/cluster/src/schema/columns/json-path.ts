import { isObject, type Json } from "pintle/kinds";
import { compare } from "./json-path-compare.ts";
import { type Parsed, type PathNode, parseJsonPath } from "./json-path-parser.ts";

/** All values a path leads to; throws where the server's evaluation fails, so that a cell stays empty. */
export type JsonPath = (value: Json) => readonly Json[];

type Step = (values: readonly Json[]) => readonly Json[];

/**
 * Compiles Kubernetes' JSONPath, `.status.conditions[?(@.type=="Ready")].status`. A missing field leads nowhere.
 * Throws a SyntaxError when it is not a path.
 */
export function jsonPath(expression: string): JsonPath {
  const run = steps(parseJsonPath(expression));
  return (value) => run([value]);
}

class Unreachable extends Error {}

function steps(parsed: Parsed): Step {
  const all = parsed.map(step);
  return (values) => {
    let current = values;
    for (const next of all) current = next(current);
    return current;
  };
}

function step(node: PathNode): Step {
  switch (node.is) {
    case "field":
      return (values) => values.flatMap((value) => (isObject(value) && Object.hasOwn(value, node.name) ? [value[node.name]!] : []));
    case "value":
      return (values) => values.map(() => node.value);
    case "wildcard":
      return (values) => values.flatMap(children);
    case "recursive":
      return (values) => values.flatMap(withDescendants);
    case "slice":
      return (values) => values.flatMap((value) => (value === null ? [] : slice(value, node)));
    case "union": {
      const branches = node.branches.map(steps);
      return (values) => branches.flatMap((branch) => branch(values));
    }
    case "filter":
      return filter(node);
  }
}

function children(value: Json): readonly Json[] {
  if (Array.isArray(value)) return value;
  return isObject(value) ? (Object.values(value) as Json[]) : [];
}

function withDescendants(value: Json): readonly Json[] {
  const below = children(value);
  return below.length === 0 ? [] : [value, ...below.flatMap(withDescendants)];
}

function slice(value: Json, { from, to, single, step: by }: Extract<PathNode, { is: "slice" }>): readonly Json[] {
  if (!Array.isArray(value)) throw new Unreachable("not a list");
  const { length } = value;
  const start = from === undefined ? 0 : from < 0 ? from + length : from;
  let end = single ? (from ?? 0) + 1 : (to ?? length);
  if (end < 0 || (end === 0 && single)) end += length;
  if (start === end) return [];
  if (start >= length || start < 0 || end > length || end < 0 || start > end || by <= 0) throw new Unreachable("out of bounds");
  return value.slice(start, end).filter((_: Json, i: number) => i % by === 0);
}

function filter({ left, operator, right }: Extract<PathNode, { is: "filter" }>): Step {
  const lefts = steps(left);
  const rights = steps(right);
  const one = (run: Step, item: Json): Json | undefined => {
    const found = run([item]);
    if (found.length > 1) throw new Unreachable("can only compare one element at a time");
    return found[0];
  };
  const passes = (item: Json): boolean => {
    if (operator === "exists") return lefts([item]).length > 0;
    const a = one(lefts, item);
    const b = a === undefined ? undefined : one(rights, item);
    return a !== undefined && b !== undefined && compare(a, operator, b);
  };
  return (values) =>
    values.flatMap((value) => {
      if (!Array.isArray(value)) throw new Unreachable("not a list");
      return value.filter(passes);
    });
}
