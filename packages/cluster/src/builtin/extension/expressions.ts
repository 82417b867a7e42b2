import { CONDITION, type CompileOptions, type Environment, environment, type Wanted } from "../../admission/index.ts";
import { fieldError } from "../../status/index.ts";
import type { Loose } from "../draft.ts";
import { type Problems, qualifiedName } from "../validate/problems.ts";

/** What is wrong with an expression in CEL, if it does not compile to what is wanted. */
export function* expressionProblems(
  field: string,
  source: string,
  wanted: Wanted,
  within: Environment,
  options?: CompileOptions,
): Problems {
  const { problem } = within.compile(source, wanted, options);
  if (problem !== undefined) yield fieldError.invalid(field, source, problem);
}

type Conditions = readonly Loose<{ readonly name: string; readonly expression: string }>[] | null | undefined;

const MOST = 64;

/** The matchConditions of a webhook or policy; they know no variables of its own. */
export function* matchConditions(field: string, all: Conditions, params = false): Problems {
  const names = new Set<string>();
  if ((all?.length ?? 0) > MOST) yield fieldError.tooMany(field, all!.length, MOST);
  for (const [i, { name, expression }] of (all ?? []).entries()) {
    const source = expression?.trim() ?? "";
    if (source === "") yield fieldError.required(`${field}[${i}].expression`);
    else yield* expressionProblems(`${field}[${i}].expression`, source, CONDITION, environment({ params }));
    if (!name) yield fieldError.required(`${field}[${i}].name`);
    else yield* qualifiedName(`${field}[${i}].name`, name);
    if (name && names.has(name)) yield fieldError.duplicate(`${field}[${i}].name`, name);
    names.add(name ?? "");
  }
}
