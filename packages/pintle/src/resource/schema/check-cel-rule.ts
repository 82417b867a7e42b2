import type { StructuralSchema, ValidationRule } from "../custom-resource-definition.ts";
import { celFieldName } from "../fields/index.ts";
import { InvalidResource } from "../invalid-resource.ts";

/** The position of a schema inside the schema of a whole object. */
export interface SchemaLocation {
  readonly path: string;
  /** Whether the API server can match a value with its old value. It cannot inside lists without keys. */
  readonly correlatable: boolean;
}

type RejectRule = (problem: string, advice: string) => InvalidResource;

/** Throws `InvalidResource` for a CEL rule that the API server would reject; checks what is visible without compiling the rule. */
export function checkCelRule(rule: ValidationRule, schema: StructuralSchema, { path, correlatable }: SchemaLocation): void {
  const reject: RejectRule = (problem, advice) =>
    new InvalidResource(path === "" ? "rules" : path, `${problem} (${rule.rule.trim()})`, advice);
  if (!hasCelType(schema)) throw reject("a rule on values of any type", "CEL needs a type: use anyObject(), or put the rule on the parent");
  checkRuleTexts(rule, reject);
  const code = rule.rule.replace(/'[^']*'|"[^"]*"/g, "''");
  const usesOldSelf = /\boldSelf\b/.test(code);
  if (usesOldSelf && !correlatable) {
    const advice = "the API server cannot match items with their old values: use listMap(item, key), or put the rule on the list";
    throw reject("oldSelf inside a list without keys", advice);
  }
  if (rule.optionalOldSelf && !usesOldSelf) throw reject("optionalOldSelf without oldSelf", "remove optionalOldSelf");
  checkFieldReferences(code, schema, path === "", reject);
  if (rule.fieldPath !== undefined) checkFieldPath(rule.fieldPath, schema, reject);
}

function checkRuleTexts({ rule, message, messageExpression }: ValidationRule, reject: RejectRule): void {
  if (rule.trim() === "") throw reject("a rule without an expression", "write a CEL expression");
  if (message?.trim() === "" || message?.includes("\n")) throw reject("a message that is not one line", "write one line");
  if (messageExpression?.trim() === "") throw reject("an empty messageExpression", "remove it");
  if (message === undefined && rule.trim().includes("\n")) throw reject("a rule of several lines without a message", "add a message");
}

/** In CEL, `self` has the declared fields that have a type, and no others. */
function checkFieldReferences(code: string, schema: StructuralSchema, root: boolean, reject: RejectRule): void {
  if (schema.properties === undefined) return;
  const visible = Object.entries(schema.properties).filter(([, field]) => hasCelType(field));
  const known = visible.map(([name]) => celFieldName(name));
  if (root || schema["x-kubernetes-embedded-resource"]) known.push("apiVersion", "kind", "metadata");
  for (const [, name] of code.matchAll(/\bself\.\??(\w+)(?!\w*\s*\()/g)) {
    if (known.includes(name)) continue;
    throw reject(
      `CEL has no field self.${name}`,
      `it has the fields that have a type: ${known.filter(Boolean).sort().join(", ") || "none here"}`,
    );
  }
}

/** CEL has no type for a value of any type, nor for lists and maps of such values. */
function hasCelType({ type, items, additionalProperties, ...schema }: StructuralSchema): boolean {
  const inner = items ?? additionalProperties;
  return schema["x-kubernetes-int-or-string"] === true || (type !== undefined && (inner === undefined || hasCelType(inner)));
}

/** A fieldPath consists of fields and map keys; the API server accepts nothing else. */
function checkFieldPath(path: string, schema: StructuralSchema, reject: RejectRule): void {
  let here: StructuralSchema | undefined = /^(\.[\w-]+|\['[^']+'\])+$/.test(path) ? schema : undefined;
  for (const [, dotted, quoted] of path.matchAll(/\.([\w-]+)|\['([^']+)'\]/g)) {
    here = here?.properties?.[(dotted ?? quoted)!] ?? here?.additionalProperties;
  }
  if (here === undefined) throw reject(`the fieldPath "${path}" does not exist`, 'write a path relative to this field, like ".limits.cpu"');
}
