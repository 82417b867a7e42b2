import { leaf } from "./leaf.ts";
import { alwaysWritten, byText, referenced, type Schema } from "./schema.ts";

/** Gives the local name of a definition or shared type, and remembers that the file needs it. */
export interface Names {
  definition(name: string): string;
  shared(type: string): string;
}

/** A schema as a TypeScript type. Structs are named definitions by now, so none is written inline. */
export function typeText(schema: Schema, names: Names): string {
  const text = bareText(schema, names);
  return schema.nullable === true && text !== "unknown" ? `${text} | null` : text;
}

function bareText(schema: Schema, names: Names): string {
  const definition = referenced(schema);
  if (definition !== undefined) {
    const special = leaf(definition);
    if (special === undefined) return names.definition(definition);
    return special.shared ? names.shared(special.type) : special.type;
  }
  if (schema["x-kubernetes-int-or-string"] === true) return names.shared("IntOrString");
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  switch (schema.type) {
    case "string":
      return "string";
    case "integer":
    case "number":
      return "number";
    case "boolean":
      return "boolean";
    case "array": {
      const item = typeText(schema.items ?? {}, names);
      return `readonly ${item.includes(" ") ? `(${item})` : item}[]`;
    }
    case "object": {
      const values = schema.additionalProperties;
      return `Readonly<Record<string, ${typeof values === "object" ? typeText(values, names) : "unknown"}>>`;
    }
    default:
      return "unknown";
  }
}

export interface Field {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
}

/** The fields of a nested struct. Read and apply share it, so only what a writer must give is required. */
export function fieldsOf(schema: Schema, names: Names): readonly Field[] {
  const required = new Set(schema.required);
  return Object.entries(schema.properties ?? {})
    .sort(([a], [b]) => byText(a, b))
    .map(([name, property]) => ({ name, type: typeText(property, names), required: required.has(name) && property.nullable !== true }));
}

/** A required struct that may be empty all the way down need not be written by anyone. */
export function mustBeWritten(name: string, owner: Schema, schemaOf: (definition: string) => Schema): boolean {
  if (owner.required?.includes(name)) return true;
  const property = owner.properties?.[name];
  const definition = property === undefined ? undefined : referenced(property);
  if (property === undefined || definition === undefined || !alwaysWritten(property)) return false;
  return (schemaOf(definition).required?.length ?? 0) > 0;
}

export function interfaceText(name: string, fields: readonly Field[], open = false): string {
  const lines = fields.map(({ name, type, required }) => {
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
    return required ? `  readonly ${key}: ${type};` : `  readonly ${key}?: ${type === "unknown" ? type : `${type} | undefined`};`;
  });
  if (open) lines.push("  readonly [field: string]: unknown;");
  return lines.length === 0 ? `export interface ${name} {}` : `export interface ${name} {\n${lines.join("\n")}\n}`;
}
