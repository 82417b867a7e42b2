import type { JsonObject } from "pintle/kinds";
import type { Type } from "../../schema/cel/index.ts";
import type { JsonSchema } from "../../schema/index.ts";
import { toDeclaredType } from "../../schema/validation-rules/index.ts";
import { createExpressionEnvironment } from "../expressions/environment.ts";
import type { ValidatingSpec } from "./validations.ts";

/** A kind that a policy is checked against, with its schema. */
export interface CheckedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly schema: JsonSchema;
}

/** A problem of an expression, as in the status of a policy. */
export interface ExpressionWarning {
  /** "spec.validations[0].expression". */
  readonly fieldRef: string;
  readonly warning: string;
}

/** Type-checks the expressions of a policy against the kinds that it matches, in order. */
export function checkPolicyTypes(
  spec: ValidatingSpec,
  kinds: readonly CheckedKind[],
  paramsSchema: JsonSchema | undefined,
): readonly ExpressionWarning[] {
  const paramsType = paramsSchema && toDeclaredType(paramsSchema, true, "params")?.type;
  const environments = kinds.flatMap((kind) => {
    const objectType = toDeclaredType(kind.schema, true, `${kind.kind}Object`)?.type;
    return [{ kind, check: createChecker(spec, objectType, paramsType) }];
  });
  const find = (expression: string) =>
    environments.flatMap(({ kind, check }) => {
      const problem = check(expression);
      return problem === undefined ? [] : [`${formatKind(kind)}: ${problem}\n`];
    });
  return (spec.validations ?? []).flatMap(({ expression, messageExpression }, index) => {
    const parts = { expression, ...(messageExpression ? { messageExpression } : {}) };
    return Object.entries(parts).flatMap(([field, source]) => {
      const problems = find(source);
      return problems.length === 0 ? [] : [{ fieldRef: `spec.validations[${index}].${field}`, warning: problems.join("\n") }];
    });
  });
}

const COMPILATION_FAILED = "compilation failed: ";

/** Returns a function that returns the compile error of an expression. */
function createChecker(spec: ValidatingSpec, objectType: Type | undefined, paramsType: Type | undefined) {
  const environment = createExpressionEnvironment({
    hasParams: spec.paramKind !== undefined,
    hasVariables: true,
    objectType,
    paramsType,
  });
  for (const { name, expression } of spec.variables ?? []) environment.declareVariable(name, expression);
  return (expression: string) => environment.compile(expression, undefined).compileError?.replace(COMPILATION_FAILED, "");
}

/** As Go prints a GroupVersionKind. */
function formatKind({ group, version, kind }: CheckedKind): string {
  return `${group}/${version}, Kind=${kind}`;
}

/** Replaces the references of a schema of an OpenAPI document. Throws `RangeError` for a schema that contains itself. */
export function inlineReferences(schema: JsonObject, definitions: Readonly<Record<string, JsonObject>>): JsonSchema {
  const inline = (value: unknown, open: readonly string[]): unknown => {
    if (Array.isArray(value)) return value.map((each) => inline(each, open));
    if (typeof value !== "object" || value === null) return value;
    const reference = findReference(value as JsonObject);
    if ((value as JsonObject)["format"] === "int-or-string") return { "x-kubernetes-int-or-string": true };
    if (reference === undefined) return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, inline(each, open)]));
    if (open.includes(reference)) throw new RangeError(`the schema ${reference} contains itself`);
    return inline(definitions[reference] ?? {}, [...open, reference]);
  };
  return inline(schema, []) as JsonSchema;
}

/** A reference may be wrapped in allOf, because OpenAPI allows nothing beside it. */
function findReference(schema: JsonObject): string | undefined {
  const wrapped = schema["allOf"];
  const reference = schema["$ref"] ?? (Array.isArray(wrapped) ? (wrapped[0] as JsonObject | undefined)?.["$ref"] : undefined);
  return typeof reference === "string" ? reference.slice(reference.lastIndexOf("/") + 1) : undefined;
}
