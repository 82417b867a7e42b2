import { isObject, type Json } from "pintle/kinds";
import { type FieldError, fieldError, OMITTED } from "../../status/index.ts";
import { CostExceeded, Failure, Optional, type Value } from "../cel/index.ts";
import type { ValidationRule } from "../json-schema.ts";
import { type Structural, someNode } from "../structural.ts";
import { oldItems } from "../validate/ratchet.ts";
import { Correlation } from "./correlation.ts";
import { type DeclaredType, declaredType, withObjectMeta } from "./declared-type.ts";
import { escapeName } from "./escape.ts";
import { type Adapter, adapter } from "./json-values.ts";
import { compileRules, type Rule } from "./rule.ts";

/** What one rule may cost, and what all rules over one object may. */
const CALL_LIMIT = 1_000_000;
const BUDGET = 10_000_000;

/** Takes errors that are let pass because nothing changed. */
export type Warn = (error: FieldError) => void;

/** Runs the rules of a schema. */
export interface RuleValidator {
  /** `path` is where the value stands, "" at the root of an object. Without `warn` an unchanged value is no excuse. */
  validate(value: Json, old: Json | undefined, path: string, warn?: Warn): FieldError[];
}

/** Undefined when there are no rules anywhere in the schema. */
export function ruleValidator(root: Structural, isResourceRoot: boolean): RuleValidator | undefined {
  const node = nodeOf(root, isResourceRoot, declaredType(root.schema, isResourceRoot));
  if (node === undefined) return undefined;
  return {
    validate(value, old, path, warn) {
      const run = new RuleRun(warn);
      run.check(node, value, old, path, warn !== undefined && old !== undefined ? Correlation.of(root, value, old) : Correlation.none);
      return run.errors;
    },
  };
}

/** A part of a schema with rules in it. */
interface RuleNode {
  readonly type: string;
  readonly structural: Structural;
  readonly rules: readonly Rule[];
  readonly adapt: Adapter;
  /** Rules cannot be compiled here at all: nothing is known about the value. */
  readonly untyped: boolean;
  readonly items: RuleNode | undefined;
  readonly additional: RuleNode | undefined;
  readonly properties: ReadonlyMap<string, RuleNode>;
}

export function hasRules(node: Structural): boolean {
  return someNode(node, ({ schema }) => (schema["x-kubernetes-validations"] ?? []).length > 0);
}

function nodeOf(structural: Structural, isRoot: boolean, declared: DeclaredType | undefined): RuleNode | undefined {
  if (!hasRules(structural)) return undefined;
  const { schema, items, additional } = structural;
  const properties = new Map<string, RuleNode>();
  for (const [name, property] of structural.properties) {
    const escaped = escapeName(name);
    // Fields that rules cannot name have rules of their own all the same.
    const type = escaped === undefined ? declaredType(property.schema, property.embedded) : declared?.fields?.get(escaped);
    const node = type === undefined ? undefined : nodeOf(property, property.embedded, type);
    if (node !== undefined) properties.set(name, node);
  }
  return {
    type: structural.type,
    structural,
    rules: declared === undefined ? [] : compileRules(schema, declared),
    untyped: declared === undefined && (schema["x-kubernetes-validations"] ?? []).length > 0,
    adapt: adapter(isRoot ? withObjectMeta(schema) : schema),
    items: items === undefined ? undefined : nodeOf(items, items.embedded, declared?.items),
    additional: additional === undefined ? undefined : nodeOf(additional, additional.embedded, declared?.items),
    properties,
  };
}

/** One validation of one object: errors so far, and what is left of the budget. */
class RuleRun {
  readonly errors: FieldError[] = [];
  readonly #warn: Warn | undefined;
  #budget = BUDGET;

  constructor(warn: Warn | undefined) {
    this.#warn = warn;
  }

  check(node: RuleNode, value: Json, old: Json | undefined, path: string, correlation: Correlation): void {
    if (value === null || this.#budget < 0) return;
    this.#rules(node, value, old ?? undefined, path, correlation);
    if (Array.isArray(value)) this.#list(node, value, old, path, correlation);
    else if (isObject(value)) this.#fields(node, value, old, path, correlation);
  }

  #list(node: RuleNode, value: readonly Json[], old: Json | undefined, path: string, correlation: Correlation): void {
    if (node.items === undefined) return;
    const before = oldItems(node.structural, old);
    for (const [i, item] of value.entries()) {
      if (this.#budget < 0) return;
      this.check(node.items, item, before?.(item), `${path}[${i}]`, correlation.index(i));
    }
  }

  #fields(
    node: RuleNode,
    value: Readonly<Record<string, Json | undefined>>,
    old: Json | undefined,
    path: string,
    correlation: Correlation,
  ): void {
    for (const name in value) {
      if (this.#budget < 0) return;
      const was = isObject(old) && Object.hasOwn(old, name) ? old[name] : undefined;
      if (node.additional !== undefined) this.check(node.additional, value[name]!, was, `${path}[${name}]`, correlation.key(name));
      const property = node.properties.get(name);
      if (property !== undefined) this.check(property, value[name]!, was, path === "" ? name : `${path}.${name}`, correlation.key(name));
    }
  }

  #rules(node: RuleNode, value: Json, old: Json | undefined, path: string, correlation: Correlation): void {
    const at = path === "" ? "<nil>" : path;
    if (node.untyped) {
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
      if (rule.problem !== undefined) this.errors.push(fieldError.invalid(at, node.type, `rule compile error: ${rule.problem}`));
      else if (rule.program !== undefined) this.#rule(node, rule, value, self, oldSelf, path, correlation);
    }
  }

  #rule(node: RuleNode, rule: Rule, value: Json, self: Value, oldSelf: Value | undefined, path: string, correlation: Correlation): void {
    const optional = rule.declared.optionalOldSelf === true;
    if (rule.isTransition && oldSelf === undefined && !optional) return;
    const at = path === "" ? "<nil>" : path;
    const before = optional ? (oldSelf === undefined ? Optional.none : new Optional(oldSelf)) : (oldSelf ?? null);
    const result = this.#evaluate(rule.program!, [self, before]);
    if (result === "exhausted") {
      this.#exhausted(at, node);
    } else if (result === "expensive") {
      const why = `'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: ${ruleText(rule.declared)}`;
      this.errors.push(fieldError.invalid(at, node.type, why));
      this.#budget = -1;
    } else if (result instanceof Failure) {
      this.errors.push(fieldError.invalid(at, node.type, failureText(result, rule.declared)));
    } else if (result !== true) {
      this.#broken(node, rule, value, [self, oldSelf ?? null], path, correlation);
    }
  }

  /** The value, or that it cost more than one call may, or more than is left. */
  #evaluate(program: NonNullable<Rule["program"]>, variables: readonly Value[]): Value | "exhausted" | "expensive" {
    try {
      const { value, cost } = program.run(variables, CALL_LIMIT);
      if (cost > this.#budget) return "exhausted";
      this.#budget -= cost;
      return value;
    } catch (error) {
      if (error instanceof CostExceeded) return this.#budget < CALL_LIMIT ? "exhausted" : "expensive";
      throw error;
    }
  }

  #exhausted(at: string, node: RuleNode): void {
    this.errors.push(
      fieldError.invalid(at, node.type, "validation failed due to running out of cost budget, no further validation rules will be run"),
    );
    this.#budget = -1;
  }

  #broken(node: RuleNode, rule: Rule, value: Json, variables: readonly Value[], path: string, correlation: Correlation): void {
    const at = placeOf(path, rule.at);
    const report = (error: FieldError) => {
      if (rule.isTransition || !correlation.isUnchanged) this.errors.push(error);
      else this.#warn?.(error);
    };
    let detail: string | undefined;
    if (rule.message !== undefined) {
      const message = this.#evaluate(rule.message, variables);
      if (message === "exhausted" || message === "expensive") {
        report(fieldError.invalid(at, node.type, messageCost(message, rule.declared)));
        this.#budget = -1;
        return;
      }
      detail = messageText(message);
    }
    const shown = node.type === "object" || node.type === "array" ? OMITTED : value;
    report(errorFor(rule.declared.reason, at, shown, detail ?? defaultMessage(rule.declared)));
  }
}

function placeOf(path: string, below: string): string {
  if (below === "") return path === "" ? "<nil>" : path;
  return path === "" ? below : `${path}.${below}`;
}

function ruleText(rule: ValidationRule): string {
  return (rule.message || rule.rule).trim();
}

function defaultMessage(rule: ValidationRule): string {
  return rule.message ? rule.message.trim() : `failed rule: ${rule.rule.trim()}`;
}

function failureText({ message }: Failure, rule: ValidationRule): string {
  if (message.startsWith("no such overload")) {
    return `'${message}': call arguments did not match a supported operator, function or macro signature for rule: ${ruleText(rule)}`;
  }
  return `${message} evaluating rule: ${ruleText(rule)}`;
}

function messageCost(why: "exhausted" | "expensive", rule: ValidationRule): string {
  if (why === "exhausted")
    return "messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run";
  return `no further validation rules will be run due to call cost exceeds limit for messageExpression: "${rule.messageExpression}"`;
}

const maxMessage = 5 * 1024;

/** Undefined when it makes no message: then the rule's own is used. */
function messageText(value: Value): string | undefined {
  if (typeof value !== "string") return undefined;
  const text = value.trim();
  return text === "" || text.includes("\n") || Buffer.byteLength(text) > maxMessage ? undefined : text;
}

function errorFor(reason: string | undefined, at: string, value: unknown, detail: string): FieldError {
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
