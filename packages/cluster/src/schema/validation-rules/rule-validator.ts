import { isJsonObject } from "pintle/internal/json";
import type { Json } from "pintle/kinds";
import { type FieldError, fieldError, OMITTED_VALUE } from "../../status/index.ts";
import { CostExceeded, Failure, Optional, type Value } from "../cel/index.ts";
import type { ValidationRule } from "../json-schema.ts";
import { type StructuralSchema, someNode } from "../structural/structural-schema.ts";
import { createOldItemLookup } from "../validation/ratcheting.ts";
import { type CompiledRule, compileRules } from "./compiled-rule.ts";
import { CorrelatedObject } from "./correlated-object.ts";
import { type DeclaredType, toDeclaredType, withTypeAndObjectMeta } from "./declared-type.ts";
import { getAdapter, type JsonAdapter } from "./json-values.ts";
import { escapePropertyName } from "./property-names.ts";

/** Cost limits of one rule evaluation, and of all rules for one object. */
const CALL_COST_LIMIT = 1_000_000;
const OBJECT_COST_BUDGET = 10_000_000;

/** Receives errors that validation ratcheting ignores. */
export type ValidationWarningHandler = (error: FieldError) => void;

/** Evaluates the rules of a schema. */
export interface RuleValidator {
  /**
   * Returns the errors of a value. `path` is the path of the value, "" at the root of an object. Validation ratcheting
   * only applies if `warn` is given.
   */
  validate(value: Json, old: Json | undefined, path: string, warn?: ValidationWarningHandler): FieldError[];
}

/** Compiles the rules of a schema; returns undefined if it has none. */
export function compileRuleValidator(root: StructuralSchema, isResourceRoot: boolean): RuleValidator | undefined {
  const node = compileRuleNode(root, isResourceRoot, toDeclaredType(root.schema, isResourceRoot));
  if (node === undefined) return undefined;
  return {
    validate(value, old, path, warn) {
      const run = new RuleEvaluation(warn);
      run.checkNode(
        node,
        value,
        old,
        path,
        warn !== undefined && old !== undefined ? CorrelatedObject.create(root, value, old) : CorrelatedObject.none,
      );
      return run.errors;
    },
  };
}

/** A schema node that has rules or contains nodes with rules. */
interface RuleNode {
  readonly type: string;
  readonly structural: StructuralSchema;
  readonly rules: readonly CompiledRule[];
  readonly adapt: JsonAdapter;
  /** True if the rules cannot be compiled because the schema has no type. */
  readonly isUntyped: boolean;
  readonly items: RuleNode | undefined;
  readonly additional: RuleNode | undefined;
  readonly properties: ReadonlyMap<string, RuleNode>;
}

export function hasRules(node: StructuralSchema): boolean {
  return someNode(node, ({ schema }) => (schema["x-kubernetes-validations"] ?? []).length > 0);
}

function compileRuleNode(structural: StructuralSchema, isRoot: boolean, declared: DeclaredType | undefined): RuleNode | undefined {
  if (!hasRules(structural)) return undefined;
  const { schema, items, additionalProperties } = structural;
  const properties = new Map<string, RuleNode>();
  for (const [name, property] of structural.properties) {
    const escaped = escapePropertyName(name);
    // Fields whose names cannot be escaped may still have rules.
    const type = escaped === undefined ? toDeclaredType(property.schema, property.isResource) : declared?.fields?.get(escaped);
    const node = type === undefined ? undefined : compileRuleNode(property, property.isResource, type);
    if (node !== undefined) properties.set(name, node);
  }
  return {
    type: structural.type,
    structural,
    rules: declared === undefined ? [] : compileRules(schema, declared),
    isUntyped: declared === undefined && (schema["x-kubernetes-validations"] ?? []).length > 0,
    adapt: getAdapter(isRoot ? withTypeAndObjectMeta(schema) : schema),
    items: items === undefined ? undefined : compileRuleNode(items, items.isResource, declared?.items),
    additional:
      additionalProperties === undefined
        ? undefined
        : compileRuleNode(additionalProperties, additionalProperties.isResource, declared?.items),
    properties,
  };
}

/** State of one validation of one object: the errors so far and the remaining cost budget. */
class RuleEvaluation {
  readonly errors: FieldError[] = [];
  readonly #warn: ValidationWarningHandler | undefined;
  #budget = OBJECT_COST_BUDGET;

  constructor(warn: ValidationWarningHandler | undefined) {
    this.#warn = warn;
  }

  checkNode(node: RuleNode, value: Json, old: Json | undefined, path: string, correlation: CorrelatedObject): void {
    if (value === null || this.#budget < 0) return;
    this.#rules(node, value, old ?? undefined, path, correlation);
    if (Array.isArray(value)) this.#list(node, value, old, path, correlation);
    else if (isJsonObject(value)) this.#fields(node, value, old, path, correlation);
  }

  #list(node: RuleNode, value: readonly Json[], old: Json | undefined, path: string, correlation: CorrelatedObject): void {
    if (node.items === undefined) return;
    const before = createOldItemLookup(node.structural, old);
    for (const [i, item] of value.entries()) {
      if (this.#budget < 0) return;
      this.checkNode(node.items, item, before?.(item), `${path}[${i}]`, correlation.index(i));
    }
  }

  #fields(
    node: RuleNode,
    value: Readonly<Record<string, Json | undefined>>,
    old: Json | undefined,
    path: string,
    correlation: CorrelatedObject,
  ): void {
    for (const name in value) {
      if (this.#budget < 0) return;
      const was = isJsonObject(old) && Object.hasOwn(old, name) ? old[name] : undefined;
      if (node.additional !== undefined) this.checkNode(node.additional, value[name]!, was, `${path}[${name}]`, correlation.key(name));
      const property = node.properties.get(name);
      if (property !== undefined)
        this.checkNode(property, value[name]!, was, path === "" ? name : `${path}.${name}`, correlation.key(name));
    }
  }

  #rules(node: RuleNode, value: Json, old: Json | undefined, path: string, correlation: CorrelatedObject): void {
    const at = path === "" ? "<nil>" : path;
    if (node.isUntyped) {
      this.errors.push(
        fieldError.invalid(at, node.type, "rule compiler initialization error: failed to convert to declType for CEL validation rules"),
      );
      return;
    }
    if (node.rules.length === 0) return;
    if (this.#budget <= 0) {
      this.#exhausted(at, node);
      return;
    }
    const self = node.adapt(value);
    const oldSelf = old === undefined ? undefined : node.adapt(old);
    for (const rule of node.rules) {
      if (this.#budget < 0) return;
      if (rule.compileError !== undefined) this.errors.push(fieldError.invalid(at, node.type, `rule compile error: ${rule.compileError}`));
      else if (rule.program !== undefined) this.#rule(node, rule, value, self, oldSelf, path, correlation);
    }
  }

  #rule(
    node: RuleNode,
    rule: CompiledRule,
    value: Json,
    self: Value,
    oldSelf: Value | undefined,
    path: string,
    correlation: CorrelatedObject,
  ): void {
    const optional = rule.declared.optionalOldSelf === true;
    if (rule.isTransition && oldSelf === undefined && !optional) return;
    const at = path === "" ? "<nil>" : path;
    const before = optional ? (oldSelf === undefined ? Optional.none : new Optional(oldSelf)) : (oldSelf ?? null);
    const result = this.#evaluate(rule.program!, [self, before]);
    if (result === "exhausted") {
      this.#exhausted(at, node);
    } else if (result === "expensive") {
      const why = `'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: ${describeRule(rule.declared)}`;
      this.errors.push(fieldError.invalid(at, node.type, why));
      this.#budget = -1;
    } else if (result instanceof Failure) {
      this.errors.push(fieldError.invalid(at, node.type, formatFailure(result, rule.declared)));
    } else if (result !== true) {
      this.#broken(node, rule, value, [self, oldSelf ?? null], path, correlation);
    }
  }

  /**
   * Returns the value, "expensive" if the evaluation exceeds the limit per call, or "exhausted" if it exceeds the
   * remaining budget.
   */
  #evaluate(program: NonNullable<CompiledRule["program"]>, variables: readonly Value[]): Value | "exhausted" | "expensive" {
    try {
      const { value, cost } = program.run(variables, CALL_COST_LIMIT);
      if (cost > this.#budget) return "exhausted";
      this.#budget -= cost;
      return value;
    } catch (error) {
      if (error instanceof CostExceeded) return this.#budget < CALL_COST_LIMIT ? "exhausted" : "expensive";
      throw error;
    }
  }

  #exhausted(at: string, node: RuleNode): void {
    this.errors.push(
      fieldError.invalid(at, node.type, "validation failed due to running out of cost budget, no further validation rules will be run"),
    );
    this.#budget = -1;
  }

  #broken(node: RuleNode, rule: CompiledRule, value: Json, variables: readonly Value[], path: string, correlation: CorrelatedObject): void {
    const at = joinErrorPath(path, rule.errorPath);
    const report = (error: FieldError) => {
      if (rule.isTransition || !correlation.isUnchanged) this.errors.push(error);
      else this.#warn?.(error);
    };
    let detail: string | undefined;
    if (rule.messageProgram !== undefined) {
      const message = this.#evaluate(rule.messageProgram, variables);
      if (message === "exhausted" || message === "expensive") {
        report(fieldError.invalid(at, node.type, formatMessageCostError(message, rule.declared)));
        this.#budget = -1;
        return;
      }
      detail = toMessage(message);
    }
    const printedValue = node.type === "object" || node.type === "array" ? OMITTED_VALUE : value;
    report(createRuleError(rule.declared.reason, at, printedValue, detail ?? getDefaultMessage(rule.declared)));
  }
}

function joinErrorPath(path: string, below: string): string {
  if (below === "") return path === "" ? "<nil>" : path;
  return path === "" ? below : `${path}.${below}`;
}

function describeRule(rule: ValidationRule): string {
  return (rule.message || rule.rule).trim();
}

function getDefaultMessage(rule: ValidationRule): string {
  return rule.message ? rule.message.trim() : `failed rule: ${rule.rule.trim()}`;
}

function formatFailure({ message }: Failure, rule: ValidationRule): string {
  if (message.startsWith("no such overload")) {
    return `'${message}': call arguments did not match a supported operator, function or macro signature for rule: ${describeRule(rule)}`;
  }
  return `${message} evaluating rule: ${describeRule(rule)}`;
}

function formatMessageCostError(why: "exhausted" | "expensive", rule: ValidationRule): string {
  if (why === "exhausted")
    return "messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run";
  return `no further validation rules will be run due to call cost exceeds limit for messageExpression: "${rule.messageExpression}"`;
}

const maxMessageBytes = 5 * 1024;

/**
 * Returns the message, or undefined if the value is not a usable message; the caller then uses the default message of
 * the rule.
 */
function toMessage(value: Value): string | undefined {
  if (typeof value !== "string") return undefined;
  const text = value.trim();
  return text === "" || text.includes("\n") || Buffer.byteLength(text) > maxMessageBytes ? undefined : text;
}

function createRuleError(reason: string | undefined, at: string, value: unknown, detail: string): FieldError {
  switch (reason) {
    case "FieldValueForbidden":
      return fieldError.forbidden(at, detail);
    case "FieldValueRequired":
      return fieldError.required(at, detail);
    case "FieldValueDuplicate":
      return fieldError.duplicate(at, value);
    default:
      return fieldError.invalid(at, value, detail);
  }
}
