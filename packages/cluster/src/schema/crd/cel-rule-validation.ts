import { type FieldError, fieldError } from "../../status/index.ts";
import type { JsonSchema } from "../json-schema.ts";
import {
  type CompiledRule,
  compileRules,
  type DeclaredType,
  escapePropertyName,
  getMaxCardinality,
  toDeclaredType,
} from "../validation-rules/index.ts";
import { printRule } from "./internal-version.ts";
import type { RuleChecker, SchemaContext } from "./schema-validation.ts";

/** Limits of the estimated cost of one rule, and of all rules of a schema. */
const RULE_COST_LIMIT = 10_000_000;
const SCHEMA_COST_LIMIT = 100_000_000;

/** Accumulates the estimated costs of all rules of a schema. */
export class RuleCostTotal {
  #total = 0;
  #expensive: { readonly path: string; readonly cost: number }[] = [];

  add(path: string, cost: number): void {
    this.#total = Math.min(this.#total + cost, 2 ** 64);
    if (cost < SCHEMA_COST_LIMIT / 100) return;
    this.#expensive.push({ path, cost });
    this.#expensive = this.#expensive.sort((a, b) => b.cost - a.cost).slice(0, 4);
  }

  validate(schemaPath: string): FieldError[] {
    if (this.#total <= SCHEMA_COST_LIMIT) return [];
    const what = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
    return [
      ...this.#expensive.map(({ path }) =>
        fieldError.forbidden(path, "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema"),
      ),
      fieldError.forbidden(schemaPath, formatCostExceeded(what, this.#total, SCHEMA_COST_LIMIT)),
    ];
  }
}

function formatCostExceeded(what: string, cost: number, limit: number): string {
  const factor = cost / limit;
  const times = factor > 100 ? "more than 100x" : factor < 1.5 ? `${factor.toFixed(6)}x` : `${factor.toFixed(1)}x`;
  return `${what} exceeds budget by factor of ${times} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`;
}

/**
 * Creates the checker for the root of a schema. Child checkers inherit the declared type of their parent and track how
 * often the value may occur.
 */
export function createRuleChecker(schema: JsonSchema, costs: RuleCostTotal): RuleChecker {
  return createCheckerAt({ schema, isRoot: true, inScope: hasOwnRules(schema), cardinality: 1, typeFromParent: undefined, costs });
}

interface RuleCheckerContext {
  readonly schema: JsonSchema;
  readonly isRoot: boolean;
  /** True if the schema or an ancestor has rules; types are only computed then. */
  readonly inScope: boolean;
  /** Maximum number of occurrences; undefined if unlimited. */
  readonly cardinality: number | undefined;
  readonly typeFromParent: (() => DeclaredType | undefined) | undefined;
  readonly costs: RuleCostTotal;
}

function hasOwnRules(schema: JsonSchema): boolean {
  return (schema["x-kubernetes-validations"] ?? []).length > 0;
}

function createCheckerAt(checkerContext: RuleCheckerContext): RuleChecker {
  const { schema, costs } = checkerContext;
  const isResource = checkerContext.isRoot || schema["x-kubernetes-embedded-resource"] === true;
  const type = () => (checkerContext.inScope ? (checkerContext.typeFromParent?.() ?? toDeclaredType(schema, isResource)) : undefined);
  const createChildChecker = (child: JsonSchema, typeFromParent: RuleCheckerContext["typeFromParent"]): RuleChecker => {
    const elements = getMaxChildCount(schema);
    const cardinality =
      checkerContext.cardinality === undefined || elements === undefined ? undefined : checkerContext.cardinality * elements;
    return createCheckerAt({
      schema: child,
      isRoot: false,
      inScope: checkerContext.inScope || hasOwnRules(child),
      cardinality,
      typeFromParent,
      costs,
    });
  };
  return {
    property: (name, child) => {
      const escaped = escapePropertyName(name);
      return createChildChecker(child, () => (escaped === undefined ? undefined : type()?.fields?.get(escaped)));
    },
    items: (child) => createChildChecker(child, () => type()?.items),
    additionalProperties: (child) => createChildChecker(child, () => type()?.items),
    check(at, path, context) {
      const declared = type();
      const rules = `${path}.x-kubernetes-validations`;
      if (declared === undefined) {
        const why =
          "internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations";
        return [fieldError.internal(rules, why)];
      }
      const count = checkerContext.cardinality ?? getMaxCardinality(declared);
      return compileRules(at, declared).flatMap((rule, i) => validateRule(rule, `${rules}[${i}]`, count, context, costs));
    },
  };
}

/** Returns how often the children of a schema may occur in a value; undefined if unlimited. */
function getMaxChildCount({ type, additionalProperties, maxProperties, maxItems }: JsonSchema): number | undefined {
  if (type === "array") return maxItems === undefined ? undefined : Math.max(0, maxItems);
  if (type !== "object" || additionalProperties === undefined) return 1;
  return maxProperties === undefined ? undefined : Math.max(0, maxProperties);
}

function validateRule(rule: CompiledRule, path: string, count: number, context: SchemaContext, costs: RuleCostTotal): FieldError[] {
  const errors: FieldError[] = [];
  const { declared } = rule;
  const cost = Math.min(rule.maxCost * count, 2 ** 64);
  if (cost > RULE_COST_LIMIT)
    errors.push(fieldError.forbidden(`${path}.rule`, formatCostExceeded("estimated rule cost", cost, RULE_COST_LIMIT)));
  costs.add(`${path}.rule`, cost);
  if (rule.compileError !== undefined) errors.push(fieldError.invalid(`${path}.rule`, printRule(declared), rule.compileError));
  if (rule.messageCompileError !== undefined) {
    errors.push(fieldError.invalid(`${path}.messageExpression`, printRule(declared), rule.messageCompileError));
  } else if (rule.messageProgram !== undefined) {
    const messageCost = rule.messageMaxCost;
    if (messageCost > RULE_COST_LIMIT) {
      errors.push(
        fieldError.forbidden(
          `${path}.messageExpression`,
          formatCostExceeded("estimated messageExpression cost", messageCost, RULE_COST_LIMIT),
        ),
      );
    }
    costs.add(`${path}.messageExpression`, messageCost);
  }
  if (rule.isTransition && context.uncorrelatablePath !== undefined) {
    const why = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${context.uncorrelatablePath}`;
    errors.push(fieldError.invalid(`${path}.rule`, declared.rule, why));
  } else if (!rule.isTransition && declared.optionalOldSelf !== undefined) {
    errors.push(fieldError.invalid(`${path}.optionalOldSelf`, declared.optionalOldSelf, "may not be set if oldSelf is not used in rule"));
  }
  return errors;
}
