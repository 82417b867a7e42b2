import { isJsonObject } from "pintle/internal/json";
import { isBuiltIn } from "pintle/internal/resource";
import type { Json, JsonObject } from "pintle/kinds";

/** A constraint of a schema: a CEL rule, or a keyword that can refuse a value. */
export interface SchemaRule {
  /** "spec.size: maximum 5", "spec: rule self.min <= self.max". */
  readonly name: string;
  /** Returns the schema without this rule. */
  remove(schema: JsonObject): JsonObject;
}

/** Keywords that refuse values. `type` and `format` are left out: the types of the resource express them. */
const KEYWORDS = [
  ...["maximum", "minimum", "multipleOf", "maxLength", "minLength", "pattern", "maxItems", "minItems", "uniqueItems"],
  ...["maxProperties", "minProperties", "enum", "not", "anyOf", "oneOf", "allOf"],
];
const CEL_RULES = "x-kubernetes-validations";

type Path = readonly (string | number)[];

/** Lists the rules of the spec in a schema, in the order of the schema. Fields of built-in types count only with the rules that the resource adds. */
export function listSchemaRules(schema: JsonObject): readonly SchemaRule[] {
  const spec = (schema["properties"] as JsonObject | undefined)?.["spec"];
  return isJsonObject(spec) ? rulesOf(spec, ["properties", "spec"], "spec") : [];
}

function rulesOf(schema: JsonObject, path: Path, field: string): readonly SchemaRule[] {
  const rules = ((schema[CEL_RULES] ?? []) as readonly { readonly rule: string }[]).map(({ rule }, i) => ({
    name: `${field}: rule ${rule}`,
    remove: (root: JsonObject) => removeAt(root, [...path, CEL_RULES, i]),
  }));
  // The rules of built-in types are those of Kubernetes: hundreds for a pod template.
  if (isBuiltIn(schema)) return rules;
  const keywords = KEYWORDS.filter((keyword) => keyword in schema).map((keyword) => ({
    name: `${field}: ${keyword} ${JSON.stringify(schema[keyword])}`,
    remove: (root: JsonObject) => removeAt(root, [...path, keyword]),
  }));
  const required = ((schema["required"] ?? []) as readonly string[]).map((name, i) => ({
    name: `${field}: required ${name}`,
    remove: (root: JsonObject) => removeAt(root, [...path, "required", i]),
  }));
  return [...rules, ...required, ...keywords, ...rulesOfChildren(schema, path, field)];
}

function rulesOfChildren(schema: JsonObject, path: Path, field: string): readonly SchemaRule[] {
  const { properties, items, additionalProperties } = schema;
  const child = (value: Json | undefined, at: Path, name: string) => (isJsonObject(value) ? rulesOf(value, [...path, ...at], name) : []);
  return [
    ...Object.entries((properties ?? {}) as JsonObject).flatMap(([name, value]) => child(value, ["properties", name], `${field}.${name}`)),
    ...child(items, ["items"], `${field}[]`),
    ...child(additionalProperties, ["additionalProperties"], `${field}.*`),
  ];
}

function removeAt(value: Json, [key, ...rest]: Path): any {
  if (Array.isArray(value)) {
    const items = value as readonly Json[];
    return rest.length === 0 ? items.filter((_, i) => i !== key) : items.map((item, i) => (i === key ? removeAt(item, rest) : item));
  }
  const { [key as string]: inner, ...others } = value as Record<string, Json>;
  return rest.length === 0 ? others : { ...others, [key as string]: removeAt(inner!, rest) };
}
