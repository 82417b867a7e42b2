import { isObject, type JsonObject } from "pintle/kinds";
import { type FieldError, fieldError } from "../../status/index.ts";
import type { JsonSchema, ValidationRule } from "../json-schema.ts";
import { fieldPath } from "./field-path.ts";
import { listMapErrors, listTypeErrors } from "./list-type-rules.ts";

/** Where in a schema the walk is, and what that forbids. */
export interface SchemaContext {
  readonly isRoot: boolean;
  /** Inside apiVersion, kind or metadata of the root or of an embedded object. */
  readonly insideMeta: boolean;
  /** Why no default may be set here. */
  readonly noDefaults?: string | undefined;
  /** The nearest part above whose items have no identity over time, so that oldSelf cannot be known below. */
  readonly uncorrelatable?: string | undefined;
}

/** Rules of CEL are only looked at where the schema itself is in order. */
export interface SchemaErrors {
  readonly schema: FieldError[];
  readonly rules: FieldError[];
}

/** Compiles and costs the rules of one schema; absent inside allOf, anyOf, oneOf and not, where there are none. */
export interface RuleChecker {
  check(schema: JsonSchema, path: string, context: SchemaContext): FieldError[];
  property(name: string, schema: JsonSchema): RuleChecker;
  items(schema: JsonSchema): RuleChecker;
  additional(schema: JsonSchema): RuleChecker;
}

export const schemaRoot: SchemaContext = { isRoot: true, insideMeta: false };

/** Everything about a schema that does not follow from its being structural. */
export function schemaErrors(schema: JsonSchema, path: string, context: SchemaContext, rules: RuleChecker | undefined): SchemaErrors {
  const errors: SchemaErrors = { schema: keywordErrors(schema, path, context), rules: [] };
  const inner = { ...context, isRoot: false };
  const add = (child: JsonSchema | undefined, at: string, below: SchemaContext = inner, checker?: RuleChecker) => {
    if (!isObject(child)) return;
    const found = schemaErrors(child as JsonSchema, path + at, below, checker);
    errors.schema.push(...found.schema);
    errors.rules.push(...found.rules);
  };

  const { additionalProperties: additional, properties = {}, items } = schema;
  if (additional !== undefined) {
    if (Object.keys(properties).length > 0 && additional !== true) {
      errors.schema.push(fieldError.forbidden(`${path}.additionalProperties`, "additionalProperties and properties are mutual exclusive"));
    }
    const below = context.insideMeta ? { ...inner, noDefaults: "inside additionalProperties applying to object metadata" } : inner;
    if (isObject(additional)) add(additional as JsonSchema, ".additionalProperties", below, rules?.additional(additional as JsonSchema));
  }
  const mapType = schema["x-kubernetes-map-type"];
  const correlatable = mapType === undefined || mapType === "granular" || mapType === "atomic";
  for (const [name, property] of Object.entries(properties)) {
    let below: SchemaContext = correlatable ? inner : uncorrelatable(inner, path);
    if ((context.isRoot || schema["x-kubernetes-embedded-resource"] === true) && isMeta(name)) {
      below = { ...below, insideMeta: true, ...(context.isRoot && { noDefaults: `in top-level ${name}` }) };
    }
    add(property, `.properties[${name}]`, below, rules?.property(name, property));
  }
  add(schema.not, ".not");
  for (const junctor of ["allOf", "oneOf", "anyOf"] as const) {
    for (const [i, branch] of (schema[junctor] ?? []).entries()) add(branch, `.${junctor}[${i}]`);
  }
  if (items !== undefined) {
    const below = schema["x-kubernetes-list-type"] === "map" ? inner : uncorrelatable(inner, path);
    if (Array.isArray(items)) for (const [i, item] of (items as JsonSchema[]).entries()) add(item, `.items[${i}]`, below);
    else add(items, ".items", below, rules?.items(items));
  }

  errors.schema.push(...mapTypeErrors(schema, path), ...listTypeErrors(schema, path), ...listMapErrors(schema, path));
  const own = schema["x-kubernetes-validations"] ?? [];
  for (const [i, rule] of own.entries()) errors.schema.push(...ruleFormErrors(schema, rule, `${path}.x-kubernetes-validations[${i}]`));
  if (own.length > 0 && errors.schema.length === 0 && rules !== undefined) errors.rules.push(...rules.check(schema, path, context));
  return errors;
}

function uncorrelatable(context: SchemaContext, path: string): SchemaContext {
  return context.uncorrelatable === undefined ? { ...context, uncorrelatable: path } : context;
}

function isMeta(name: string): boolean {
  return name === "metadata" || name === "kind" || name === "apiVersion";
}

const types = ["array", "boolean", "integer", "number", "object", "string"];
const unsupported = ["additionalItems", "patternProperties", "definitions", "dependencies", "$ref"];

function keywordErrors(schema: JsonSchema, path: string, context: SchemaContext): FieldError[] {
  const errors: FieldError[] = [];
  const { type = "" } = schema;
  const given = schema as JsonObject;
  const forbid = (keyword: string, why: string) => errors.push(fieldError.forbidden(`${path}.${keyword}`, why));
  if (type !== "" && !types.includes(type)) errors.push(fieldError.notSupported(`${path}.type`, type, types));
  if (context.noDefaults !== undefined && schema.default !== undefined && schema.default !== null) {
    forbid("default", `must not be set ${context.noDefaults}`);
  }
  if (given["id"]) forbid("id", "id is not supported");
  for (const keyword of unsupported) if (given[keyword] !== undefined) forbid(keyword, `${keyword} is not supported`);
  if (type === "null") forbid("type", "type cannot be set to null, use nullable as an alternative");
  if (Array.isArray(schema.items) && schema.items.length > 0) forbid("items", "items must be a schema object and not an array");
  if (context.insideMeta && schema["x-kubernetes-embedded-resource"] === true) {
    forbid("x-kubernetes-embedded-resource", "must not be used inside of resource meta");
  }
  if (schema.uniqueItems === true)
    forbid("uniqueItems", "uniqueItems cannot be set to true since the runtime complexity becomes quadratic");
  if (schema["x-kubernetes-preserve-unknown-fields"] === false) {
    errors.push(fieldError.invalid(`${path}.x-kubernetes-preserve-unknown-fields`, false, "must be true or undefined"));
  }
  return errors;
}

function mapTypeErrors(schema: JsonSchema, path: string): FieldError[] {
  const mapType = schema["x-kubernetes-map-type"];
  if (mapType === undefined) return [];
  const errors: FieldError[] = [];
  const { type = "" } = schema;
  const must = "must be object if x-kubernetes-map-type is specified";
  if (type === "") errors.push(fieldError.required(`${path}.type`, must));
  else if (type !== "object") errors.push(fieldError.invalid(`${path}.type`, type, must));
  if (mapType !== "atomic" && mapType !== "granular") {
    errors.push(fieldError.notSupported(`${path}.x-kubernetes-map-type`, mapType, ["atomic", "granular"]));
  }
  return errors;
}

const reasons = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

function ruleFormErrors(schema: JsonSchema, rule: ValidationRule, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const { rule: source = "", message = "", messageExpression = "", fieldPath: at = "", reason } = rule;
  const broken = (text: string) => /[\n\r]/.test(text);
  if (source.trim() === "") {
    errors.push(fieldError.required(`${path}.rule`, "rule is not specified"));
  } else if (message !== "" && message.trim() === "") {
    errors.push(fieldError.invalid(`${path}.message`, message, "must be non-empty if specified"));
  } else if (broken(message.trim())) {
    errors.push(fieldError.invalid(`${path}.message`, message, "must not contain line breaks"));
  } else if (broken(source.trim()) && message.trim() === "") {
    errors.push(fieldError.required(`${path}.message`, "message must be specified if rule contains line breaks"));
  }
  if (messageExpression !== "" && messageExpression.trim() === "") {
    errors.push(fieldError.required(`${path}.messageExpression`, "messageExpression must be non-empty if specified"));
  }
  if (reason !== undefined && !reasons.includes(reason)) errors.push(fieldError.notSupported(`${path}.reason`, reason, reasons));
  if (at !== "" && at.trim() === "") errors.push(fieldError.invalid(`${path}.fieldPath`, at, "must be non-empty if specified"));
  if (broken(at)) errors.push(fieldError.invalid(`${path}.fieldPath`, at, "must not contain line breaks"));
  if (at !== "" && !leadsSomewhere(at, schema)) errors.push(fieldError.invalid(`${path}.fieldPath`, at, "must be a valid path"));
  return errors;
}

function leadsSomewhere(path: string, schema: JsonSchema): boolean {
  try {
    fieldPath(path, schema);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
