import type { Json } from "pintle/kinds";
import { goQuote } from "../../status/index.ts";
import type { JsonSchema } from "../json-schema.ts";
import { type Findings, findings, problem } from "./problem.ts";
import type { Validator } from "./validator.ts";

export type JunctorCheck = (value: Json, path: string, found: Findings) => void;

/** Compiles anyOf, oneOf, allOf and not; undefined when there are none. Inside them nothing is matched with old values. */
export function junctorCheck(schema: JsonSchema, compile: (branch: JsonSchema) => Validator): JunctorCheck | undefined {
  const anyOf = (schema.anyOf ?? []).map(compile);
  const oneOf = (schema.oneOf ?? []).map(compile);
  const allOf = (schema.allOf ?? []).map(compile);
  const not = schema.not === undefined ? undefined : compile(schema.not);
  if (anyOf.length + oneOf.length + allOf.length === 0 && not === undefined) return undefined;
  return (value, path, found) => {
    if (anyOf.length > 0) checkAnyOf(anyOf, value, path, found);
    if (oneOf.length > 0) checkOneOf(oneOf, value, path, found);
    if (allOf.length > 0) checkAllOf(allOf, value, path, found);
    if (not !== undefined && valid(run(not, value, path))) {
      found.problems.push(problem.general(`${goQuote(path)} must not validate the schema (not)`));
    }
  };
}

function checkAnyOf(branches: readonly Validator[], value: Json, path: string, found: Findings): void {
  let best: Findings | undefined;
  for (const branch of branches) {
    const result = run(branch, value, path);
    if (valid(result)) {
      found.matches += result.matches;
      return;
    }
    if (best === undefined || result.matches > best.matches) best = result;
  }
  found.problems.push(problem.general(`${goQuote(path)} must validate at least one schema (anyOf)`));
  merge(found, best!);
}

function checkOneOf(branches: readonly Validator[], value: Json, path: string, found: Findings): void {
  let best: Findings | undefined;
  let first: Findings | undefined;
  let count = 0;
  for (const branch of branches) {
    const result = run(branch, value, path);
    if (valid(result)) {
      count++;
      first ??= result;
    } else if (count === 0 && (best === undefined || result.matches > best.matches)) {
      best = result;
    }
  }
  if (count === 1) {
    found.matches += first!.matches;
    return;
  }
  const seen = count === 0 ? "Found none valid" : `Found ${count} valid alternatives`;
  found.problems.push(problem.general(`${goQuote(path)} must validate one and only one schema (oneOf). ${seen}`));
  if (count === 0) merge(found, best!);
}

function checkAllOf(branches: readonly Validator[], value: Json, path: string, found: Findings): void {
  let count = 0;
  for (const branch of branches) {
    const result = run(branch, value, path);
    if (valid(result)) count++;
    merge(found, result);
  }
  if (count === branches.length) return;
  const none = count === 0 ? ". None validated" : "";
  found.problems.push(problem.general(`${goQuote(path)} must validate all the schemas (allOf)${none}`));
}

function run(branch: Validator, value: Json, path: string): Findings {
  const result = findings();
  branch(value, path, result, undefined);
  return result;
}

function valid(result: Findings): boolean {
  return result.problems.length === 0;
}

function merge(found: Findings, other: Findings): void {
  found.problems.push(...other.problems);
  found.matches += other.matches;
}
