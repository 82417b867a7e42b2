import type { StructuralSchema, ValidationRule } from "./custom-resource-definition.ts";
import { steps } from "./field-path.ts";
import { InvalidResource } from "./invalid-resource.ts";

interface Place {
  readonly path: string;
  /** Whether the server can tell which old value belongs here; not so inside lists without keys. */
  readonly correlatable: boolean;
}

/** What concerns several keywords at once: list keys, sets, and where rules may look. */
export function audit(schema: StructuralSchema, at: Place = { path: "", correlatable: true }): void {
  listKeys(schema, at.path);
  listSet(schema, at.path);
  for (const rule of schema["x-kubernetes-validations"] ?? []) auditRule(rule, schema, at);
  const inner = (name: string): Place => ({ ...at, path: at.path === "" ? name : `${at.path}.${name}` });
  for (const [name, field] of Object.entries(schema.properties ?? {})) audit(field, inner(name));
  if (schema.additionalProperties) audit(schema.additionalProperties, { ...at, path: `${at.path}[*]` });
  if (schema.items) {
    const keyed = schema["x-kubernetes-list-type"] === "map";
    audit(schema.items, { path: `${at.path}[]`, correlatable: at.correlatable && keyed });
  }
}

function listKeys(schema: StructuralSchema, path: string): void {
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  keys.forEach((key, i) => {
    const field = schema.items?.properties?.[key];
    if (keys.indexOf(key) < i) throw new InvalidResource(path, `the key ${key} is there twice`, "name it once");
    const scalar = field !== undefined && ["string", "integer", "number", "boolean"].includes(field.type ?? "") && !field.nullable;
    const always = field?.default !== undefined || schema.items?.required?.includes(key);
    if (!scalar || !always)
      throw new InvalidResource(
        `${path}[].${key}`,
        "a list key that may be absent or is no scalar",
        "make it required, or give it a default",
      );
  });
}

function listSet(schema: StructuralSchema, path: string): void {
  const { items } = schema;
  if (schema["x-kubernetes-list-type"] !== "set" || items === undefined) return;
  const atomic = items["x-kubernetes-map-type"] === "atomic" || items["x-kubernetes-list-type"] === "atomic";
  const composite = items.type === "object" || items.type === "array" || items.type === undefined;
  if (items.nullable) throw new InvalidResource(`${path}[]`, "null in a set", "leave .nullable() out");
  if (composite && !atomic && !items["x-kubernetes-int-or-string"]) {
    throw new InvalidResource(`${path}[]`, "a set of values that merge", "write listMap(item, key), or listSet(atomic(item))");
  }
}

function auditRule(rule: ValidationRule, schema: StructuralSchema, { path, correlatable }: Place): void {
  const said = path === "" ? "rules" : path;
  const refuse = (problem: string, advice: string) => new InvalidResource(said, `${problem} (${rule.rule.trim()})`, advice);
  if (rule.rule.trim() === "") throw refuse("a rule without CEL", "write an expression");
  if (rule.message?.trim() === "" || rule.message?.includes("\n")) throw refuse("a message that is not one line", "write one line");
  if (rule.message === undefined && rule.rule.trim().includes("\n"))
    throw refuse("a rule of several lines without a message", "add a message");
  const looksBack = /\boldSelf\b/.test(rule.rule.replace(/'[^']*'|"[^"]*"/g, ""));
  if (looksBack && !correlatable) {
    throw refuse(
      "oldSelf inside a list without keys",
      "the server cannot tell which item was which: use listMap(item, key), or put the rule on the list",
    );
  }
  if (rule.optionalOldSelf && !looksBack) throw refuse("optionalOldSelf without oldSelf", "leave optionalOldSelf out");
  if (rule.fieldPath !== undefined) fieldPath(rule.fieldPath, schema, refuse);
}

function fieldPath(path: string, schema: StructuralSchema, refuse: (problem: string, advice: string) => Error): void {
  let here: StructuralSchema | undefined = schema;
  for (const step of steps(path) ?? [{ items: "" }]) {
    here = "field" in step ? (here?.properties?.[step.field] ?? here?.additionalProperties) : undefined;
  }
  if (here === undefined) throw refuse(`fieldPath "${path}" leads nowhere`, 'write a path of fields from here, like ".limits.cpu"');
}
