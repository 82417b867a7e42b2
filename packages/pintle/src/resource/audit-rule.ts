import { celName } from "./cel-name.ts";
import type { StructuralSchema, ValidationRule } from "./custom-resource-definition.ts";
import { InvalidResource } from "./invalid-resource.ts";

/** Where a schema stands. */
export interface Place {
  readonly path: string;
  /** Whether the server can tell which old value belongs here; not so inside lists without keys. */
  readonly correlatable: boolean;
}

type Refuse = (problem: string, advice: string) => InvalidResource;

/** What can be told of a rule without compiling it. */
export function auditRule(rule: ValidationRule, schema: StructuralSchema, { path, correlatable }: Place): void {
  const refuse: Refuse = (problem, advice) => new InvalidResource(path === "" ? "rules" : path, `${problem} (${rule.rule.trim()})`, advice);
  if (!isTyped(schema)) throw refuse("a rule on values of any type", "CEL needs a type: write anyObject(), or put the rule on the parent");
  texts(rule, refuse);
  const code = rule.rule.replace(/'[^']*'|"[^"]*"/g, "''");
  const looksBack = /\boldSelf\b/.test(code);
  if (looksBack && !correlatable) {
    const advice = "the server cannot tell which item was which: write listMap(item, key), or put the rule on the list";
    throw refuse("oldSelf inside a list without keys", advice);
  }
  if (rule.optionalOldSelf && !looksBack) throw refuse("optionalOldSelf without oldSelf", "leave optionalOldSelf out");
  fields(code, schema, path === "", refuse);
  if (rule.fieldPath !== undefined) fieldPath(rule.fieldPath, schema, refuse);
}

function texts({ rule, message, messageExpression }: ValidationRule, refuse: Refuse): void {
  if (rule.trim() === "") throw refuse("a rule without CEL", "write an expression");
  if (message?.trim() === "" || message?.includes("\n")) throw refuse("a message that is not one line", "write one line");
  if (messageExpression?.trim() === "") throw refuse("a messageExpression without CEL", "leave it out");
  if (message === undefined && rule.trim().includes("\n")) throw refuse("a rule of several lines without a message", "add a message");
}

/** CEL sees the declared fields that have a type, and nothing else of an object. */
function fields(code: string, schema: StructuralSchema, root: boolean, refuse: Refuse): void {
  if (schema.properties === undefined) return;
  const visible = Object.entries(schema.properties).filter(([, field]) => isTyped(field));
  const known = visible.map(([name]) => celName(name));
  if (root || schema["x-kubernetes-embedded-resource"]) known.push("apiVersion", "kind", "metadata");
  for (const [, name] of code.matchAll(/\bself\.\??(\w+)(?!\w*\s*\()/g)) {
    if (known.includes(name)) continue;
    throw refuse(
      `CEL knows no self.${name}`,
      `it sees the fields that have a type: ${known.filter(Boolean).sort().join(", ") || "none here"}`,
    );
  }
}

/** CEL has no type for "any value", nor for lists and maps of them. */
function isTyped({ type, items, additionalProperties, ...schema }: StructuralSchema): boolean {
  const inner = items ?? additionalProperties;
  return schema["x-kubernetes-int-or-string"] === true || (type !== undefined && (inner === undefined || isTyped(inner)));
}

/** Fields and map keys only; the server knows no other steps here. */
function fieldPath(path: string, schema: StructuralSchema, refuse: Refuse): void {
  let here: StructuralSchema | undefined = /^(\.[\w-]+|\['[^']+'\])+$/.test(path) ? schema : undefined;
  for (const [, dotted, quoted] of path.matchAll(/\.([\w-]+)|\['([^']+)'\]/g)) {
    here = here?.properties?.[(dotted ?? quoted)!] ?? here?.additionalProperties;
  }
  if (here === undefined) throw refuse(`the fieldPath "${path}" leads nowhere`, 'write fields from here, like ".limits.cpu"');
}
