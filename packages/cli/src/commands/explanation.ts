import type { JsonObject } from "pintle/kinds";
import { CommandError } from "../command.ts";
import type { Resource } from "../project/index.ts";

/** A field of a resource, and the way to it. */
export interface Found {
  readonly crd: Resource["crd"];
  readonly version: string;
  readonly schema: JsonObject;
  readonly fields: readonly string[];
  readonly field: JsonObject;
}

/** "store.spec.replicas", in a version or in the one that is stored. */
export function fieldOf(resources: readonly Resource[], asked: string, apiVersion: string | undefined): Found {
  const [name = "", ...fields] = asked.split(".");
  const { crd } = resourceOf(resources, name);
  const { version, schema } = schemaOf(crd, apiVersion);
  const field = fields.reduce((at, step, i) => child(at, step, [name, ...fields.slice(0, i)].join(".")), schema);
  return { crd, version, schema, fields, field };
}

/** As kubectl tells it, and what a value must be. */
export function explanation({ crd, version, schema, fields, field }: Found, recursive: boolean): string {
  const head = [`GROUP:      ${crd.spec.group}`, `KIND:       ${crd.spec.names.kind}`, `VERSION:    ${version}`, ""];
  const required = fields.length > 0 && isRequired(schema, fields);
  const title =
    fields.length === 0 ? [] : [`FIELD: ${fields.at(-1)} <${typeOf(field)}>${required ? " -required-" : ""}`, ...rules(field, ""), ""];
  const description = ["DESCRIPTION:", `    ${String(field["description"] ?? "<empty>")}`, ""];
  const inside = propertiesOf(field);
  const list = inside === undefined ? [] : ["FIELDS:", ...(recursive ? tree(inside, "  ") : described(inside))];
  return `${[...head, ...title, ...description, ...list].join("\n").trimEnd()}\n`;
}

function resourceOf(resources: readonly Resource[], name: string): Resource {
  const found = resources.find(({ crd: { spec } }) => {
    const { kind, plural, singular, shortNames = [] } = spec.names;
    return [kind.toLowerCase(), plural, singular, ...shortNames].includes(name.toLowerCase());
  });
  if (found !== undefined) return found;
  const known = resources.map(({ crd }) => crd.spec.names.plural).join(", ");
  throw new CommandError(`pintle explain: the project has no resource ${name}, only: ${known || "none"}`);
}

function schemaOf({ spec }: Resource["crd"], asked: string | undefined): { readonly version: string; readonly schema: JsonObject } {
  const name = asked?.split("/").at(-1);
  const found = spec.versions.find((version) => (name === undefined ? version.storage : version.name === name));
  if (found === undefined) {
    throw new CommandError(
      `pintle explain: ${spec.names.kind} has no version ${name}, only: ${spec.versions.map((version) => version.name).join(", ")}`,
    );
  }
  return { version: found.name, schema: found.schema.openAPIV3Schema as unknown as JsonObject };
}

function child(schema: JsonObject, name: string, at: string): JsonObject {
  const inside = propertiesOf(schema);
  const found = inside?.properties[name];
  if (found !== undefined) return found;
  const known = Object.keys(inside?.properties ?? {});
  throw new CommandError(`pintle explain: ${at} has no field ${name}${known.length === 0 ? "" : `, only: ${known.join(", ")}`}`);
}

interface Properties {
  readonly properties: Readonly<Record<string, JsonObject>>;
  readonly required: readonly string[];
}

/** Lists and maps are looked through, as kubectl does. */
function propertiesOf(schema: JsonObject): Properties | undefined {
  const inner = (schema["items"] ?? schema["additionalProperties"]) as JsonObject | undefined;
  if (inner !== undefined && typeof inner === "object") return propertiesOf(inner);
  const properties = schema["properties"] as Properties["properties"] | undefined;
  return properties && { properties, required: (schema["required"] ?? []) as readonly string[] };
}

function isRequired(schema: JsonObject, fields: readonly string[]): boolean {
  const above = fields.slice(0, -1).reduce((at, step) => child(at, step, ""), schema);
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

function described({ properties, required }: Properties): readonly string[] {
  return Object.entries(properties).flatMap(([name, schema]) => [
    `  ${name}\t<${typeOf(schema)}>${required.includes(name) ? " -required-" : ""}`,
    ...rules(schema, "  "),
    ...(schema["description"] === undefined ? [] : [`    ${String(schema["description"])}`]),
    "",
  ]);
}

function tree({ properties, required }: Properties, indent: string): readonly string[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const inside = propertiesOf(schema);
    const line = `${indent}${name}\t<${typeOf(schema)}>${required.includes(name) ? " -required-" : ""}`;
    return [line, ...rules(schema, indent), ...(inside === undefined ? [] : tree(inside, `${indent}  `))];
  });
}

const LIMITS = ["default", "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "pattern", "format"] as const;

/** What a value must be, beyond its type. */
function rules(schema: JsonObject, indent: string): readonly string[] {
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
