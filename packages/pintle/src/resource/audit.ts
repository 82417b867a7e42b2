import type { StructuralSchema, ValidationRule } from "./custom-resource-definition.ts";
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
  embedded(schema, at.path);
  for (const rule of schema["x-kubernetes-validations"] ?? []) auditRule(rule, schema, at);
  const inner = (name: string): Place => ({ ...at, path: at.path === "" ? name : `${at.path}.${name}` });
  for (const [name, field] of Object.entries(schema.properties ?? {})) audit(field, inner(name));
  if (schema.additionalProperties) audit(schema.additionalProperties, { ...at, path: `${at.path}[*]` });
  if (schema.items) {
    const keyed = schema["x-kubernetes-list-type"] === "map";
    audit(schema.items, { path: `${at.path}[]`, correlatable: at.correlatable && keyed });
  }
}

function listKeys({ items, ...schema }: StructuralSchema, path: string): void {
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  if (keys.length > 0 && items?.nullable) throw new InvalidResource(`${path}[]`, "null in a keyed list", "leave .nullable() out");
  keys.forEach((key, i) => {
    if (keys.indexOf(key) < i) throw new InvalidResource(path, `the key ${key} is there twice`, "name it once");
    const field = items?.properties?.[key];
    const scalar = field?.["x-kubernetes-int-or-string"] || ["string", "integer", "number", "boolean"].includes(field?.type ?? "");
    const always = field?.default !== undefined || items?.required?.includes(key);
    if (scalar && always && !field?.nullable) return;
    throw new InvalidResource(
      `${path}[].${key}`,
      "a list key that may be absent, or is no scalar",
      "make it required, or give it a default",
    );
  });
}

function listSet({ items, ...schema }: StructuralSchema, path: string): void {
  if (schema["x-kubernetes-list-type"] !== "set" || items === undefined) return;
  if (items.nullable) throw new InvalidResource(`${path}[]`, "null in a set", "leave .nullable() out");
  const merging = items.type === "object" && items["x-kubernetes-map-type"] !== "atomic";
  if (merging || items["x-kubernetes-list-type"] === "set" || items["x-kubernetes-list-type"] === "map") {
    throw new InvalidResource(`${path}[]`, "a set of values that merge", "write listMap(item, key), or listSet(atomic(item))");
  }
}

function embedded(schema: StructuralSchema, path: string): void {
  if (!schema["x-kubernetes-embedded-resource"] || schema["x-kubernetes-preserve-unknown-fields"] || schema.properties) return;
  throw new InvalidResource(path, "an embedded object of which nothing is kept", "give the embedded object fields, or write embedded()");
}

function auditRule(rule: ValidationRule, schema: StructuralSchema, { path, correlatable }: Place): void {
  const refuse = (problem: string, advice: string) =>
    new InvalidResource(path === "" ? "rules" : path, `${problem} (${rule.rule.trim()})`, advice);
  if (schema.type === undefined && !schema["x-kubernetes-int-or-string"]) {
    throw refuse("a rule on a value of any type", "CEL needs a type: write anyObject(), or put the rule on the parent");
  }
  if (rule.rule.trim() === "") throw refuse("a rule without CEL", "write an expression");
  if (rule.message?.trim() === "" || rule.message?.includes("\n")) throw refuse("a message that is not one line", "write one line");
  if (rule.messageExpression?.trim() === "") throw refuse("a messageExpression without CEL", "leave it out");
  if (rule.message === undefined && rule.rule.trim().includes("\n"))
    throw refuse("a rule of several lines without a message", "add a message");
  const looksBack = /\boldSelf\b/.test(rule.rule.replace(/'[^']*'|"[^"]*"/g, ""));
  if (looksBack && !correlatable) {
    const advice = "the server cannot tell which item was which: write listMap(item, key), or put the rule on the list";
    throw refuse("oldSelf inside a list without keys", advice);
  }
  if (rule.optionalOldSelf && !looksBack) throw refuse("optionalOldSelf without oldSelf", "leave optionalOldSelf out");
  if (rule.fieldPath !== undefined) fieldPath(rule.fieldPath, schema, refuse);
}

/** Fields and map keys only; the server knows no other steps here. */
function fieldPath(path: string, schema: StructuralSchema, refuse: (problem: string, advice: string) => Error): void {
  let here: StructuralSchema | undefined = /^(\.[\w-]+|\['[^']+'\])+$/.test(path) ? schema : undefined;
  for (const [, dotted, quoted] of path.matchAll(/\.([\w-]+)|\['([^']+)'\]/g)) {
    here = here?.properties?.[(dotted ?? quoted)!] ?? here?.additionalProperties;
  }
  if (here === undefined) throw refuse(`the fieldPath "${path}" leads nowhere`, 'write fields from here, like ".limits.cpu"');
}
