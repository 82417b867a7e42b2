import type { FieldError } from "../../status/index.ts";
import type { KindRules, RuleTable } from "../rules.ts";

/** The same rules, but endpoints may be on loopback: where the pods are processes that have no other addresses. */
export function withLoopback(table: RuleTable): RuleTable {
  return { ...table, EndpointSlice: lenient(table["EndpointSlice"]!), Endpoints: lenient(table["Endpoints"]!) };
}

function lenient<R extends KindRules<any>>(own: R): R {
  const { validate, validateUpdate } = own;
  return {
    ...own,
    ...(validate === undefined ? {} : { validate: (...given: Parameters<typeof validate>) => others(validate(...given)) }),
    ...(validateUpdate === undefined
      ? {}
      : { validateUpdate: (...given: Parameters<typeof validateUpdate>) => others(validateUpdate(...given)) }),
  };
}

function others(problems: Iterable<FieldError>): readonly FieldError[] {
  return [...problems].filter(({ detail }) => !detail.includes("may not be in the loopback range"));
}
