import { compareText, isAlwaysWritten, type OpenApiSchema, referencedDefinition } from "../schema.ts";
import { specialType } from "./special-types.ts";

/** Returns the local name of a definition or shared type, and adds it to the imports of the file. */
export interface TypeNames {
  definition(name: string): string;
  shared(type: string): string;
}

/** Renders a schema as a TypeScript type. Structs are named definitions, never inline. */
export function renderType(schema: OpenApiSchema, names: TypeNames): string {
  const text = renderBareType(schema, names);
  return schema.nullable === true && text !== "unknown" ? `${text} | null` : text;
}

function renderBareType(schema: OpenApiSchema, names: TypeNames): string {
  const definition = referencedDefinition(schema);
  if (definition !== undefined) {
    const special = specialType(definition);
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
      const item = renderType(schema.items ?? {}, names);
      return `readonly ${item.includes(" ") ? `(${item})` : item}[]`;
    }
    case "object": {
      const values = schema.additionalProperties;
      return `Readonly<Record<string, ${typeof values === "object" ? renderType(values, names) : "unknown"}>>`;
    }
    default:
      return "unknown";
  }
}

/** One field of a rendered interface. */
export interface TypeField {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
}

/** Returns the fields of a nested struct. Reading and applying share the type, so only fields required on write are required. */
export function structFields(schema: OpenApiSchema, names: TypeNames): readonly TypeField[] {
  const required = new Set(schema.required);
  return Object.entries(schema.properties ?? {})
    .sort(([a], [b]) => compareText(a, b))
    .map(([name, property]) => ({ name, type: renderType(property, names), required: required.has(name) && property.nullable !== true }));
}

/** Whether a client must write the field. A struct that the API server always writes is required only if it has required fields. */
export function isRequiredOnWrite(name: string, owner: OpenApiSchema, schemaOf: (definition: string) => OpenApiSchema): boolean {
  if (owner.required?.includes(name)) return true;
  const property = owner.properties?.[name];
  const definition = property === undefined ? undefined : referencedDefinition(property);
  if (property === undefined || definition === undefined || !isAlwaysWritten(property)) return false;
  return (schemaOf(definition).required?.length ?? 0) > 0;
}

/** Renders an interface; `open` adds an index signature. */
export function renderInterface(name: string, fields: readonly TypeField[], open = false): string {
  const lines = fields.map(({ name, type, required }) => {
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
    return required ? `  readonly ${key}: ${type};` : `  readonly ${key}?: ${type === "unknown" ? type : `${type} | undefined`};`;
  });
  if (open) lines.push("  readonly [field: string]: unknown;");
  return lines.length === 0 ? `export interface ${name} {}` : `export interface ${name} {\n${lines.join("\n")}\n}`;
}
