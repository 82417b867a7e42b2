import { isJsonObject } from "pintle/internal/json";
import type { JsonObject } from "pintle/kinds";
import { type FieldError, fieldError } from "../../status/index.ts";
import type { JsonSchema, ValidationRule } from "../json-schema.ts";
import { resolveFieldPath } from "../structural/field-path.ts";
import { validateListMapKeys, validateListType } from "./list-type-validation.ts";

/** Position of the schema walk, and the constraints that follow from it. */
export interface SchemaContext {
  readonly isRoot: boolean;
  /** Inside apiVersion, kind or metadata of the root or of an embedded resource. */
  readonly insideMeta: boolean;
  /** Reason why a default is forbidden here. */
  readonly defaultForbiddenReason?: string | undefined;
  /** Path of the nearest ancestor whose items cannot be correlated with old items, so that oldSelf is not available below it. */
  readonly uncorrelatablePath?: string | undefined;
}

/** Errors of a schema. CEL rules are only checked if the schema itself is valid. */
export interface SchemaErrors {
  readonly schema: FieldError[];
  readonly rules: FieldError[];
}

/**
 * Compiles the CEL rules of one schema and estimates their cost. Not used inside allOf, anyOf, oneOf and not, which
 * have no rules.
 */
export interface RuleChecker {
  check(schema: JsonSchema, path: string, context: SchemaContext): FieldError[];
  property(name: string, schema: JsonSchema): RuleChecker;
  items(schema: JsonSchema): RuleChecker;
  additionalProperties(schema: JsonSchema): RuleChecker;
}

export const rootSchemaContext: SchemaContext = { isRoot: true, insideMeta: false };

/** Validates the constraints on a schema apart from those that make it structural. */
export function validateSchema(schema: JsonSchema, path: string, context: SchemaContext, rules: RuleChecker | undefined): SchemaErrors {
  const errors: SchemaErrors = { schema: validateKeywords(schema, path, context), rules: [] };
  const inner = { ...context, isRoot: false };
  const add = (child: JsonSchema | undefined, at: string, below: SchemaContext = inner, checker?: RuleChecker) => {
    if (!isJsonObject(child)) return;
    const found = validateSchema(child as JsonSchema, path + at, below, checker);
    errors.schema.push(...found.schema);
    errors.rules.push(...found.rules);
  };

  const { additionalProperties: additional, properties = {}, items } = schema;
  if (additional !== undefined) {
    if (Object.keys(properties).length > 0 && additional !== true) {
      errors.schema.push(fieldError.forbidden(`${path}.additionalProperties`, "additionalProperties and properties are mutual exclusive"));
    }
    const below = context.insideMeta ? { ...inner, noDefaults: "inside additionalProperties applying to object metadata" } : inner;
    if (isJsonObject(additional))
      add(additional as JsonSchema, ".additionalProperties", below, rules?.additionalProperties(additional as JsonSchema));
  }
  const mapType = schema["x-kubernetes-map-type"];
  const correlatable = mapType === undefined || mapType === "granular" || mapType === "atomic";
  for (const [name, property] of Object.entries(properties)) {
    let below: SchemaContext = correlatable ? inner : markUncorrelatable(inner, path);
    if ((context.isRoot || schema["x-kubernetes-embedded-resource"] === true) && isTypeOrObjectMeta(name)) {
      below = { ...below, insideMeta: true, ...(context.isRoot && { defaultForbiddenReason: `in top-level ${name}` }) };
    }
    add(property, `.properties[${name}]`, below, rules?.property(name, property));
  }
  add(schema.not, ".not");
  for (const junctor of ["allOf", "oneOf", "anyOf"] as const) {
    for (const [i, branch] of (schema[junctor] ?? []).entries()) add(branch, `.${junctor}[${i}]`);
  }
  if (items !== undefined) {
    const below = schema["x-kubernetes-list-type"] === "map" ? inner : markUncorrelatable(inner, path);
    if (Array.isArray(items)) for (const [i, item] of (items as JsonSchema[]).entries()) add(item, `.items[${i}]`, below);
    else add(items, ".items", below, rules?.items(items));
  }

  errors.schema.push(...validateMapType(schema, path), ...validateListType(schema, path), ...validateListMapKeys(schema, path));
  const own = schema["x-kubernetes-validations"] ?? [];
  for (const [i, rule] of own.entries()) errors.schema.push(...validateRuleFields(schema, rule, `${path}.x-kubernetes-validations[${i}]`));
  if (own.length > 0 && errors.schema.length === 0 && rules !== undefined) errors.rules.push(...rules.check(schema, path, context));
  return errors;
}

function markUncorrelatable(context: SchemaContext, path: string): SchemaContext {
  return context.uncorrelatablePath === undefined ? { ...context, uncorrelatablePath: path } : context;
}

function isTypeOrObjectMeta(name: string): boolean {
  return name === "metadata" || name === "kind" || name === "apiVersion";
}

const types = ["array", "boolean", "integer", "number", "object", "string"];
const unsupported = ["additionalItems", "patternProperties", "definitions", "dependencies", "$ref"];

function validateKeywords(schema: JsonSchema, path: string, context: SchemaContext): FieldError[] {
  const errors: FieldError[] = [];
  const { type = "" } = schema;
  const keywords = schema as JsonObject;
  const forbid = (keyword: string, why: string) => errors.push(fieldError.forbidden(`${path}.${keyword}`, why));
  if (type !== "" && !types.includes(type)) errors.push(fieldError.notSupported(`${path}.type`, type, types));
  if (context.defaultForbiddenReason !== undefined && schema.default !== undefined && schema.default !== null) {
    forbid("default", `must not be set ${context.defaultForbiddenReason}`);
  }
  if (keywords["id"]) forbid("id", "id is not supported");
  for (const keyword of unsupported) if (keywords[keyword] !== undefined) forbid(keyword, `${keyword} is not supported`);
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

function validateMapType(schema: JsonSchema, path: string): FieldError[] {
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

function validateRuleFields(schema: JsonSchema, rule: ValidationRule, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const { rule: source = "", message = "", messageExpression = "", fieldPath: at = "", reason } = rule;
  const hasLineBreak = (text: string) => /[\n\r]/.test(text);
  if (source.trim() === "") {
    errors.push(fieldError.required(`${path}.rule`, "rule is not specified"));
  } else if (message !== "" && message.trim() === "") {
    errors.push(fieldError.invalid(`${path}.message`, message, "must be non-empty if specified"));
  } else if (hasLineBreak(message.trim())) {
    errors.push(fieldError.invalid(`${path}.message`, message, "must not contain line breaks"));
  } else if (hasLineBreak(source.trim()) && message.trim() === "") {
    errors.push(fieldError.required(`${path}.message`, "message must be specified if rule contains line breaks"));
  }
  if (messageExpression !== "" && messageExpression.trim() === "") {
    errors.push(fieldError.required(`${path}.messageExpression`, "messageExpression must be non-empty if specified"));
  }
  if (reason !== undefined && !reasons.includes(reason)) errors.push(fieldError.notSupported(`${path}.reason`, reason, reasons));
  if (at !== "" && at.trim() === "") errors.push(fieldError.invalid(`${path}.fieldPath`, at, "must be non-empty if specified"));
  if (hasLineBreak(at)) errors.push(fieldError.invalid(`${path}.fieldPath`, at, "must not contain line breaks"));
  if (at !== "" && !isResolvablePath(at, schema)) errors.push(fieldError.invalid(`${path}.fieldPath`, at, "must be a valid path"));
  return errors;
}

function isResolvablePath(path: string, schema: JsonSchema): boolean {
  try {
    resolveFieldPath(path, schema);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
