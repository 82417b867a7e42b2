import type { JsonObject } from "pintle/kinds";
import { CommandError } from "../../command/index.ts";
import type { ResourceDescription } from "../../project/index.ts";

/** A field of a resource and its path. */
export interface ExplainedField {
  readonly crd: ResourceDescription["crd"];
  readonly version: string;
  readonly schema: JsonObject;
  readonly fields: readonly string[];
  readonly field: JsonObject;
}

/** Resolves a path such as "store.spec.replicas" in the given version, by default the storage version. */
export function resolveField(resources: readonly ResourceDescription[], path: string, apiVersion: string | undefined): ExplainedField {
  const [name = "", ...fields] = path.split(".");
  const { crd } = findResource(resources, name);
  const { version, schema } = findSchema(crd, apiVersion);
  const field = fields.reduce((at, step, i) => childSchema(at, step, [name, ...fields.slice(0, i)].join(".")), schema);
  return { crd, version, schema, fields, field };
}

/** Formats a field as `kubectl explain` does, with its constraints. */
export function formatExplanation({ crd, version, schema, fields, field }: ExplainedField, recursive: boolean): string {
  const head = [`GROUP:      ${crd.spec.group}`, `KIND:       ${crd.spec.names.kind}`, `VERSION:    ${version}`, ""];
  const required = fields.length > 0 && isRequired(schema, fields);
  const title =
    fields.length === 0
      ? []
      : [`FIELD: ${fields.at(-1)} <${typeOf(field)}>${required ? " -required-" : ""}`, ...formatConstraints(field, ""), ""];
  const description = ["DESCRIPTION:", `    ${String(field["description"] ?? "<empty>")}`, ""];
  const inside = propertiesOf(field);
  const list = inside === undefined ? [] : ["FIELDS:", ...(recursive ? formatTree(inside, "  ") : formatProperties(inside))];
  return `${[...head, ...title, ...description, ...list].join("\n").trimEnd()}\n`;
}

function findResource(resources: readonly ResourceDescription[], name: string): ResourceDescription {
  const found = resources.find(({ crd: { spec } }) => {
    const { kind, plural, singular, shortNames = [] } = spec.names;
    return [kind.toLowerCase(), plural, singular, ...shortNames].includes(name.toLowerCase());
  });
  if (found !== undefined) return found;
  const known = resources.map(({ crd }) => crd.spec.names.plural).join(", ");
  throw new CommandError("PINTLE7045", `the project has no resource "${name}"; known resources: ${known || "none"}`);
}

function findSchema(
  { spec }: ResourceDescription["crd"],
  apiVersion: string | undefined,
): { readonly version: string; readonly schema: JsonObject } {
  const name = apiVersion?.split("/").at(-1);
  const found = spec.versions.find((version) => (name === undefined ? version.storage : version.name === name));
  if (found === undefined) {
    throw new CommandError(
      "PINTLE7045",
      `${spec.names.kind} has no version "${name}"; known versions: ${spec.versions.map((version) => version.name).join(", ")}`,
    );
  }
  return { version: found.name, schema: found.schema.openAPIV3Schema as unknown as JsonObject };
}

function childSchema(schema: JsonObject, name: string, at: string): JsonObject {
  const inside = propertiesOf(schema);
  const found = inside?.properties[name];
  if (found !== undefined) return found;
  const known = Object.keys(inside?.properties ?? {});
  throw new CommandError("PINTLE7045", `${at} has no field "${name}"${known.length === 0 ? "" : `; known fields: ${known.join(", ")}`}`);
}

interface ObjectProperties {
  readonly properties: Readonly<Record<string, JsonObject>>;
  readonly required: readonly string[];
}

/** Returns the properties of an object, or of the elements of a list or map, as kubectl does. */
function propertiesOf(schema: JsonObject): ObjectProperties | undefined {
  const inner = (schema["items"] ?? schema["additionalProperties"]) as JsonObject | undefined;
  if (inner !== undefined && typeof inner === "object") return propertiesOf(inner);
  const properties = schema["properties"] as ObjectProperties["properties"] | undefined;
  return properties && { properties, required: (schema["required"] ?? []) as readonly string[] };
}

function isRequired(schema: JsonObject, fields: readonly string[]): boolean {
  const above = fields.slice(0, -1).reduce((at, step) => childSchema(at, step, ""), schema);
  return propertiesOf(above)?.required.includes(fields.at(-1)!) ?? false;
}

function typeOf(schema: JsonObject): string {
  if (schema["x-kubernetes-int-or-string"] === true) return "IntOrString";
  if (schema["type"] === "array") return `[]${typeOf((schema["items"] ?? {}) as JsonObject)}`;
  const values = schema["additionalProperties"];
  if (typeof values === "object" && values !== null) return `map[string]${typeOf(values as JsonObject)}`;
  if (schema["type"] === "object" || schema["type"] === undefined) return "Object";
  return String(schema["type"]);
}

function formatProperties({ properties, required }: ObjectProperties): readonly string[] {
  return Object.entries(properties).flatMap(([name, schema]) => [
    `  ${name}\t<${typeOf(schema)}>${required.includes(name) ? " -required-" : ""}`,
    ...formatConstraints(schema, "  "),
    ...(schema["description"] === undefined ? [] : [`    ${String(schema["description"])}`]),
    "",
  ]);
}

function formatTree({ properties, required }: ObjectProperties, indent: string): readonly string[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const inside = propertiesOf(schema);
    const line = `${indent}${name}\t<${typeOf(schema)}>${required.includes(name) ? " -required-" : ""}`;
    return [line, ...formatConstraints(schema, indent), ...(inside === undefined ? [] : formatTree(inside, `${indent}  `))];
  });
}

const LIMITS = ["default", "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "pattern", "format"] as const;

/** Returns default, enum, limits and CEL rules of a field. */
function formatConstraints(schema: JsonObject, indent: string): readonly string[] {
  const limits = LIMITS.flatMap((name) =>
    schema[name] === undefined ? [] : [`${name}: ${typeof schema[name] === "string" ? schema[name] : JSON.stringify(schema[name])}`],
  );
  const values = schema["enum"] as readonly unknown[] | undefined;
  const cel = (schema["x-kubernetes-validations"] ?? []) as readonly { readonly rule: string; readonly message?: string }[];
  return [
    ...(values === undefined ? [] : [`enum: ${values.join(", ")}`]),
    ...(limits.length === 0 ? [] : [limits.join(", ")]),
    ...cel.map(({ rule, message }) => `rule: ${message ?? rule}`),
  ].map((line) => `${indent}${line}`);
}
