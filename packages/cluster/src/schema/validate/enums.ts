import type { Json } from "pintle/kinds";
import { deepEqual } from "./equal.ts";
import { isInt64 } from "./numbers.ts";
import { type Findings, problem } from "./problem.ts";

export type EnumCheck = (value: Json, path: string, found: Findings) => void;

export function enumCheck(values: readonly Json[] | undefined): EnumCheck | undefined {
  if (values === undefined || values.length === 0) return undefined;
  const scalars = new Set<Json>(values.filter((value) => typeof value === "string" || typeof value === "boolean"));
  const others = values.filter((value) => !scalars.has(value) && value !== null);
  return (value, path, found) => {
    if (scalars.has(value) || others.some((one) => same(value, one))) return;
    found.problems.push(problem.notInEnum(path, value, values));
  };
}

/** A number is first turned into the Go type of the enum's value, so 1.5 is a member of [1]. Null is a member of none. */
function same(value: Json, member: Json): boolean {
  if (typeof value === "number" && typeof member === "number") return (isInt64(member) ? Math.trunc(value) : value) === member;
  return deepEqual(value, member);
}
