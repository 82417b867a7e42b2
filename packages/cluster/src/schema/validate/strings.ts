import type { JsonSchema } from "../json-schema.ts";
import { pattern } from "../pattern.ts";
import { type Findings, problem } from "./problem.ts";

export type StringCheck = (value: string, path: string, found: Findings) => void;

/** Compiles lengths and pattern; only the first of them that fails is reported. Undefined when any string passes. */
export function stringCheck(schema: JsonSchema): StringCheck | undefined {
  const { maxLength, minLength, pattern: source = "" } = schema;
  if (maxLength === undefined && minLength === undefined && source === "") return undefined;
  const matches = source === "" ? undefined : pattern(source);
  return (value, path, found) => {
    if (maxLength !== undefined && value.length > maxLength && characters(value) > maxLength) {
      found.problems.push(problem.tooLong(path, maxLength));
    } else if (minLength !== undefined && characters(value) < minLength) {
      found.problems.push(problem.invalid(path, value, `should be at least ${minLength} chars long`));
    } else if (matches?.(value) === false) {
      found.problems.push(problem.invalid(path, value, `should match '${source}'`));
    }
  };
}

/** Lengths count code points. */
export function characters(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length - 1; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0xd800 && unit < 0xdc00) count--;
  }
  return count;
}
