import { encodeGoJson, formatGoNumber, quoteGoString } from "pintle/internal/go-format";
import type { Json } from "pintle/internal/json";
import { isJsonEqual } from "pintle/internal/merge";
import type { JsonSchemaProps } from "./flatten-schema.ts";

/** A change that may break stored objects or clients. */
export interface SchemaProblem {
  /** The rule of crdify. */
  readonly rule: string;
  readonly message: string;
  /** What tells apart problems whose messages leave values out. */
  readonly values?: string;
}

type SchemaRule = (before: JsonSchemaProps, after: JsonSchemaProps) => string | undefined;

/** The rules by name, and the fields that each one checks. */
const RULES: readonly { readonly rule: string; readonly field: string; readonly check: SchemaRule }[] = [
  { rule: "default", field: "default", check: checkDefault },
  // OLM does not block on texts, and so a change of them is never reported.
  { rule: "description", field: "description", check: () => undefined },
  { rule: "enum", field: "enum", check: checkEnum },
  ...["maximum", "maxItems", "maxLength", "maxProperties"].map((field) => ({ rule: field, field, check: checkMaximum(field) })),
  ...["minimum", "minItems", "minLength", "minProperties"].map((field) => ({ rule: field, field, check: checkMinimum(field) })),
  { rule: "nullable", field: "nullable", check: checkNullable },
  { rule: "oneOf", field: "oneOf", check: checkOneOf },
  { rule: "pattern", field: "pattern", check: checkPattern },
  { rule: "required", field: "required", check: checkRequired },
  { rule: "type", field: "type", check: checkType },
];

/** Checks the change of one schema, without those inside of it. Changes that no rule knows are problems too. */
export function compareSchemas(before: JsonSchemaProps, after: JsonSchemaProps): SchemaProblem[] {
  const problems: SchemaProblem[] = [];
  for (const { rule, check } of RULES) {
    const message = check(before, after);
    if (message !== undefined) problems.push({ rule, message });
  }
  const unhandled = findUnhandled(before, after);
  return unhandled === undefined ? problems : [...problems, { rule: "unhandled", ...unhandled }];
}

function checkDefault({ default: before }: JsonSchemaProps, { default: after }: JsonSchemaProps): string | undefined {
  const show = (value: Json) => quoteGoString(encodeGoJson(value));
  if (before === undefined) return after === undefined ? undefined : `default added when there was none previously : ${show(after)}`;
  if (after === undefined) return `default value removed : ${show(before)}`;
  return isJsonEqual(before, after) ? undefined : `default value changed : ${show(before)} -> ${show(after)}`;
}

function checkEnum(before: JsonSchemaProps, after: JsonSchemaProps): string | undefined {
  const textsOf = ({ enum: values = [] }: JsonSchemaProps) => [...new Set((values as readonly Json[]).map(encodeGoJson))].sort();
  const [old, fresh] = [textsOf(before), textsOf(after)];
  if (old.length === 0)
    return fresh.length === 0 ? undefined : `enum constraint added when there was none previously : [${fresh.join(" ")}]`;
  const removed = old.filter((value) => !fresh.includes(value));
  return removed.length === 0 ? undefined : `allowed enum values removed : [${removed.join(" ")}]`;
}

function checkMaximum(field: string): SchemaRule {
  return checkBound(field, "maximum", "decreased", (before, after) => after < before);
}

function checkMinimum(field: string): SchemaRule {
  return checkBound(field, "minimum", "increased", (before, after) => after > before);
}

function checkBound(field: string, bound: string, direction: string, isTighter: (before: number, after: number) => boolean): SchemaRule {
  return ({ [field]: before }, { [field]: after }) => {
    if (after === undefined) return undefined;
    const shown = formatGoNumber(after as number);
    if (before === undefined) return `${bound} constraint added when there was none previously : ${shown}`;
    if (!isTighter(before as number, after as number)) return undefined;
    return `${bound} ${direction} : ${formatGoNumber(before as number)} -> ${shown}`;
  };
}

function checkNullable({ nullable: before = false }: JsonSchemaProps, { nullable: after = false }: JsonSchemaProps): string | undefined {
  return before === after ? undefined : `nullable ${after ? "added" : "removed"} : ${before} -> ${after}`;
}

function checkPattern({ pattern: before = "" }: JsonSchemaProps, { pattern: after = "" }: JsonSchemaProps): string | undefined {
  if (before === after) return undefined;
  const what = before === "" ? "added" : after === "" ? "removed" : "changed";
  return `pattern ${what} : ${quoteGoString(String(before))} -> ${quoteGoString(String(after))}`;
}

function checkRequired({ required: before = [] }: JsonSchemaProps, { required: after = [] }: JsonSchemaProps): string | undefined {
  const added = [...new Set(after as readonly string[])].filter((name) => !(before as readonly string[]).includes(name)).sort();
  return added.length === 0 ? undefined : `new required fields: [${added.join(" ")}]`;
}

function checkType({ type: before = "" }: JsonSchemaProps, { type: after = "" }: JsonSchemaProps): string | undefined {
  return before === after ? undefined : `type changed : ${quoteGoString(String(before))} -> ${quoteGoString(String(after))}`;
}

/** Schemas are shown as JSON, where crdify shows the text of Go's struct. */
function checkOneOf(before: JsonSchemaProps, after: JsonSchemaProps): string | undefined {
  const textsOf = ({ oneOf = [] }: JsonSchemaProps) =>
    [...new Set((oneOf as readonly JsonSchemaProps[]).map((schema) => encodeGoJson(withoutTexts(schema))))].sort();
  const [old, fresh] = [textsOf(before), textsOf(after)];
  const removed = old.filter((schema) => !fresh.includes(schema));
  const added = fresh.filter((schema) => !old.includes(schema));
  if (old.length === 0 && fresh.length > 0) return `oneOf constraint added when there was none previously: [${fresh.join(" ")}]`;
  if (removed.length > 0) return `allowed oneOf schemas removed: [${removed.join(" ")}]`;
  return added.length === 0 ? undefined : `allowed oneOf schemas added: [${added.join(" ")}]`;
}

function withoutTexts({ description: _, title: __, example: ___, externalDocs: ____, ...schema }: JsonSchemaProps): JsonSchemaProps {
  return schema;
}

const JUDGED = new Set(RULES.map(({ field }) => field));

/** Names what else changed, as OLM does: `unhandled changes found (Format "int32" -> "int64")`. */
function findUnhandled(before: JsonSchemaProps, after: JsonSchemaProps): Omit<SchemaProblem, "rule"> | undefined {
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (field) => !JUDGED.has(field) && !isJsonEqual(before[field] ?? null, after[field] ?? null),
  );
  if (fields.length === 0) return undefined;
  const changes = fields.map(
    (field) => `${goNameOf(field)} ${showValue(before[field], after[field])} -> ${showValue(after[field], before[field])}`,
  );
  const values = encodeGoJson(fields.map((field) => [before[field] ?? null, after[field] ?? null]));
  return { message: `unhandled changes found (${changes.join("; ")})`, values };
}

const X_PREFIX = "x-kubernetes-";

/** `x-kubernetes-list-type` -> `XListType`. */
function goNameOf(field: string): string {
  const words = field.startsWith(X_PREFIX) ? `x-${field.slice(X_PREFIX.length)}` : field.replace("$", "");
  return words.replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function showValue(value: Json | undefined, other: Json | undefined): string {
  if (value === undefined) return typeof other === "boolean" ? "false" : typeof other === "string" ? '""' : "nil";
  return typeof value === "string" ? quoteGoString(value) : typeof value === "object" ? "<complex value>" : String(value);
}
