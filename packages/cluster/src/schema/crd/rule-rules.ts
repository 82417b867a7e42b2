import { type FieldError, fieldError } from "../../status/index.ts";
import type { JsonSchema } from "../json-schema.ts";
import { compileRules, type DeclaredType, declaredType, escapeName, maxCardinality, type Rule } from "../rules/index.ts";
import { printedRule } from "./internal-form.ts";
import type { RuleChecker, SchemaContext } from "./schema-rules.ts";

/** What one rule may cost by estimate, and what all rules of a schema may. */
const RULE_LIMIT = 10_000_000;
const SCHEMA_LIMIT = 100_000_000;

/** Adds up what all rules of a schema cost. */
export class RuleCosts {
  #total = 0;
  #expensive: { readonly path: string; readonly cost: number }[] = [];

  add(path: string, cost: number): void {
    this.#total = Math.min(this.#total + cost, 2 ** 64);
    if (cost < SCHEMA_LIMIT / 100) return;
    this.#expensive.push({ path, cost });
    this.#expensive = this.#expensive.sort((a, b) => b.cost - a.cost).slice(0, 4);
  }

  errors(schemaPath: string): FieldError[] {
    if (this.#total <= SCHEMA_LIMIT) return [];
    const what = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
    return [
      ...this.#expensive.map(({ path }) =>
        fieldError.forbidden(path, "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema"),
      ),
      fieldError.forbidden(schemaPath, tooExpensive(what, this.#total, SCHEMA_LIMIT)),
    ];
  }
}

function tooExpensive(what: string, cost: number, limit: number): string {
  const factor = cost / limit;
  const times = factor > 100 ? "more than 100x" : factor < 1.5 ? `${factor.toFixed(6)}x` : `${factor.toFixed(1)}x`;
  return `${what} exceeds budget by factor of ${times} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`;
}

/** Walks along with the schema: types from above where there are any, and how often a part may occur. */
export function ruleChecker(schema: JsonSchema, costs: RuleCosts): RuleChecker {
  return checkerAt({ schema, isRoot: true, inScope: hasOwnRules(schema), cardinality: 1, typeFromAbove: undefined, costs });
}

interface Place {
  readonly schema: JsonSchema;
  readonly isRoot: boolean;
  /** Rules here or above: only then types are worked out. */
  readonly inScope: boolean;
  /** How often it may occur; undefined when there is no limit. */
  readonly cardinality: number | undefined;
  readonly typeFromAbove: (() => DeclaredType | undefined) | undefined;
  readonly costs: RuleCosts;
}

function hasOwnRules(schema: JsonSchema): boolean {
  return (schema["x-kubernetes-validations"] ?? []).length > 0;
}

function checkerAt(place: Place): RuleChecker {
  const { schema, costs } = place;
  const isResource = place.isRoot || schema["x-kubernetes-embedded-resource"] === true;
  const type = () => (place.inScope ? (place.typeFromAbove?.() ?? declaredType(schema, isResource)) : undefined);
  const below = (child: JsonSchema, typeFromAbove: Place["typeFromAbove"]): RuleChecker => {
    const elements = maxElements(schema);
    const cardinality = place.cardinality === undefined || elements === undefined ? undefined : place.cardinality * elements;
    return checkerAt({ schema: child, isRoot: false, inScope: place.inScope || hasOwnRules(child), cardinality, typeFromAbove, costs });
  };
  return {
    property: (name, child) => {
      const escaped = escapeName(name);
      return below(child, () => (escaped === undefined ? undefined : type()?.fields?.get(escaped)));
    },
    items: (child) => below(child, () => type()?.items),
    additional: (child) => below(child, () => type()?.items),
    check(at, path, context) {
      const declared = type();
      const rules = `${path}.x-kubernetes-validations`;
      if (declared === undefined) {
        const why =
          "internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations";
        return [fieldError.internal(rules, why)];
      }
      const count = place.cardinality ?? maxCardinality(declared);
      return compileRules(at, declared).flatMap((rule, i) => ruleErrors(rule, `${rules}[${i}]`, count, context, costs));
    },
  };
}

/** How often the children of a schema may occur in it. */
function maxElements({ type, additionalProperties, maxProperties, maxItems }: JsonSchema): number | undefined {
  if (type === "array") return maxItems === undefined ? undefined : Math.max(0, maxItems);
  if (type !== "object" || additionalProperties === undefined) return 1;
  return maxProperties === undefined ? undefined : Math.max(0, maxProperties);
}

function ruleErrors(rule: Rule, path: string, count: number, context: SchemaContext, costs: RuleCosts): FieldError[] {
  const errors: FieldError[] = [];
  const { declared } = rule;
  const cost = Math.min(rule.maxCost * count, 2 ** 64);
  if (cost > RULE_LIMIT) errors.push(fieldError.forbidden(`${path}.rule`, tooExpensive("estimated rule cost", cost, RULE_LIMIT)));
  costs.add(`${path}.rule`, cost);
  if (rule.problem !== undefined) errors.push(fieldError.invalid(`${path}.rule`, printedRule(declared), rule.problem));
  if (rule.messageProblem !== undefined) {
    errors.push(fieldError.invalid(`${path}.messageExpression`, printedRule(declared), rule.messageProblem));
  } else if (rule.message !== undefined) {
    const messageCost = rule.messageMaxCost;
    if (messageCost > RULE_LIMIT) {
      errors.push(
        fieldError.forbidden(`${path}.messageExpression`, tooExpensive("estimated messageExpression cost", messageCost, RULE_LIMIT)),
      );
    }
    costs.add(`${path}.messageExpression`, messageCost);
  }
  if (rule.isTransition && context.uncorrelatable !== undefined) {
    const why = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${context.uncorrelatable}`;
    errors.push(fieldError.invalid(`${path}.rule`, declared.rule, why));
  } else if (!rule.isTransition && declared.optionalOldSelf !== undefined) {
    errors.push(fieldError.invalid(`${path}.optionalOldSelf`, declared.optionalOldSelf, "may not be set if oldSelf is not used in rule"));
  }
  return errors;
}
