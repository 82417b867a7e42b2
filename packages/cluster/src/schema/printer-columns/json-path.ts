import { isJsonObject } from "pintle/internal/json";
import type { Json } from "pintle/kinds";
import { type JsonPathNode, type ParsedJsonPath, parseJsonPath } from "./json-path-parser.ts";

/** Returns all values at a path. Throws where the evaluation of kube-apiserver fails, which leaves the cell empty. */
export type JsonPath = (value: Json) => readonly Json[];

type JsonPathStep = (values: readonly Json[]) => readonly Json[];

/**
 * Compiles a Kubernetes JSONPath such as `.status.conditions[?(@.type=="Ready")].status`. A missing field yields no
 * values. Throws `SyntaxError` if the expression is invalid.
 */
export function compileJsonPath(expression: string): JsonPath {
  const run = compileSteps(parseJsonPath(expression));
  return (value) => run([value]);
}

class JsonPathError extends Error {}

function compileSteps(parsed: ParsedJsonPath): JsonPathStep {
  const all = parsed.map(compileStep);
  return (values) => {
    let current = values;
    for (const next of all) current = next(current);
    return current;
  };
}

function compileStep(node: JsonPathNode): JsonPathStep {
  switch (node.is) {
    case "field":
      return (values) => values.flatMap((value) => (isJsonObject(value) && Object.hasOwn(value, node.name) ? [value[node.name]!] : []));
    case "value":
      return (values) => values.map(() => node.value);
    case "wildcard":
      return (values) => values.flatMap(getChildren);
    case "recursive":
      return (values) => values.flatMap(collectDescendants);
    case "slice":
      return (values) => values.flatMap((value) => (value === null ? [] : sliceList(value, node)));
    case "union": {
      const branches = node.branches.map(compileSteps);
      return (values) => branches.flatMap((branch) => branch(values));
    }
    case "filter":
      return compileFilter(node);
  }
}

function getChildren(value: Json): readonly Json[] {
  if (Array.isArray(value)) return value;
  return isJsonObject(value) ? (Object.values(value) as Json[]) : [];
}

function collectDescendants(value: Json): readonly Json[] {
  const below = getChildren(value);
  return below.length === 0 ? [] : [value, ...below.flatMap(collectDescendants)];
}

function sliceList(value: Json, { from, to, single, step: by }: Extract<JsonPathNode, { is: "slice" }>): readonly Json[] {
  if (!Array.isArray(value)) throw new JsonPathError("not a list");
  const { length } = value;
  const start = from === undefined ? 0 : from < 0 ? from + length : from;
  let end = single ? (from ?? 0) + 1 : (to ?? length);
  if (end < 0 || (end === 0 && single)) end += length;
  if (start === end) return [];
  if (start >= length || start < 0 || end > length || end < 0 || start > end || by <= 0) throw new JsonPathError("out of bounds");
  return value.slice(start, end).filter((_: Json, i: number) => i % by === 0);
}

function compileFilter({ left, operator, right }: Extract<JsonPathNode, { is: "filter" }>): JsonPathStep {
  const evaluateLeft = compileSteps(left);
  const evaluateRight = compileSteps(right);
  const evaluateSingle = (run: JsonPathStep, item: Json): Json | undefined => {
    const found = run([item]);
    if (found.length > 1) throw new JsonPathError("can only compare one element at a time");
    return found[0];
  };
  const passes = (item: Json): boolean => {
    if (operator === "exists") return evaluateLeft([item]).length > 0;
    const a = evaluateSingle(evaluateLeft, item);
    const b = a === undefined ? undefined : evaluateSingle(evaluateRight, item);
    return a !== undefined && b !== undefined && compareScalars(a, operator, b);
  };
  return (values) =>
    values.flatMap((value) => {
      if (!Array.isArray(value)) throw new JsonPathError("not a list");
      return value.filter(passes);
    });
}

/** Compares two scalars in a filter. Throws `TypeError` if they are not comparable, as kube-apiserver does. */
function compareScalars(a: Json, operator: string, b: Json): boolean {
  const kind = getScalarKind(a);
  if (kind !== getScalarKind(b)) throw new TypeError("incompatible types for comparison");
  switch (operator) {
    case "==":
      return a === b;
    case "!=":
      return a !== b;
  }
  if (kind === "boolean") throw new TypeError("invalid type for comparison");
  const [x, y] = [a as number, b as number];
  switch (operator) {
    case "<":
      return x < y;
    case "<=":
      return x <= y;
    case ">":
      return x > y;
    case ">=":
      return x >= y;
    default:
      throw new TypeError(`unrecognized filter operator ${operator}`);
  }
}

/** Returns the kind of a scalar; integers and floats are not comparable. */
function getScalarKind(value: Json): string {
  if (value === null || typeof value === "object") throw new TypeError("invalid type for comparison");
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "float";
  return typeof value === "bigint" ? "integer" : typeof value;
}
