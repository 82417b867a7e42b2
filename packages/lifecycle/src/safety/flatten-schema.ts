import type { Json, JsonObject } from "pintle/internal/json";

/** A schema in the form in which Go writes it. */
export type JsonSchemaProps = JsonObject;

/** The schemas inside of a schema by their path, such as `^.spec.ports.items`. A schema with the path of an earlier one replaces it. */
export function flattenSchema(root: JsonSchemaProps | undefined): ReadonlyMap<string, JsonSchemaProps> {
  const found = new Map<string, JsonSchemaProps>();
  const visit = (value: Json | undefined, path: string): void => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return;
    const schema = value as JsonSchemaProps;
    found.set(path, schema);
    const { items } = schema;
    if (Array.isArray(items)) items.forEach((item, i) => void visit(item, `${path}.items[${i}]`));
    else visit(items, `${path}.items`);
    for (const list of ["allOf", "anyOf", "oneOf"]) {
      ((schema[list] ?? []) as readonly Json[]).forEach((item, i) => void visit(item, `${path}.${list}[${i}]`));
    }
    visit(schema["not"], `${path}.not`);
    for (const [name, property] of entriesOf(schema["properties"])) visit(property, `${path}.${name}`);
    visit(schema["additionalProperties"], `${path}.additionalProperties`);
    for (const [name, property] of entriesOf(schema["patternProperties"])) visit(property, `${path}.patternProperties[${name}]`);
    visit(schema["additionalItems"], `${path}.additionalItems`);
    for (const map of ["definitions", "dependencies"]) {
      for (const [name, property] of entriesOf(schema[map])) visit(property, `${path}.${map}[${name}]`);
    }
  };
  visit(root, "^");
  return found;
}

function entriesOf(value: Json | undefined): [string, Json][] {
  return Object.entries((value ?? {}) as JsonObject) as [string, Json][];
}
