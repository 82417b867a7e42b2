import { definitions } from "../definitions/index.ts";
import { PintleError } from "../errors/index.ts";
import { memoize } from "../memoize/index.ts";
import { anyObject, anyValue, intOrString, objectMeta, quantity, type StructuralSchema, toStructuralSchema } from "../resource/index.ts";

/** A schema as a server publishes it: with references. */
interface PublishedSchema extends Omit<StructuralSchema, "properties" | "items" | "additionalProperties"> {
  readonly $ref?: string;
  readonly allOf?: readonly PublishedSchema[];
  readonly properties?: Readonly<Record<string, PublishedSchema>>;
  readonly items?: PublishedSchema;
  readonly additionalProperties?: PublishedSchema | boolean;
}

/** What a structural schema expresses in its own way, by id. */
const SPECIAL: Readonly<Record<string, () => StructuralSchema>> = {
  "api/resource/Quantity": () => toStructuralSchema(quantity(), ""),
  "util/intstr/IntOrString": () => toStructuralSchema(intOrString(), ""),
  "pkg/runtime/RawExtension": () => toStructuralSchema(anyObject(), ""),
  "meta/v1/ObjectMeta": () => toStructuralSchema(objectMeta(), ""),
  "meta/v1/FieldsV1": () => toStructuralSchema(anyObject(), ""),
};
/** The keywords that a structural schema takes over. */
const KEYWORDS = [
  ...["type", "format", "enum", "required", "nullable", "pattern", "minimum", "maximum"],
  ...["x-kubernetes-list-type", "x-kubernetes-list-map-keys", "x-kubernetes-map-type"],
] as const;

/** The definitions as text, by id. */
const definitionTexts = memoize(
  () =>
    new Map(
      definitions.split("\n").map((line) => {
        const end = line.indexOf(" ");
        return [definitionId(line.slice(0, end)), line.slice(end + 1)];
      }),
    ),
);

/** Returns the id of a definition: its Go package and its name, "v1/PodSpec" for io.k8s.api.core.v1.PodSpec. */
function definitionId(name: string): string {
  return name
    .slice(name.lastIndexOf("/") + 1)
    .split(".")
    .slice(-3)
    .join("/")
    .replace(/^core\//, "");
}

/** Returns the structural schema of a type of the built-in kinds. Throws for an unknown id. */
export function structuralDefinition(id: string): StructuralSchema {
  if (!definitionTexts().has(id)) throw new PintleError("PINTLE2006", `The built-in kinds have no type ${JSON.stringify(id)}${advice(id)}`);
  return convertDefinition(id, new Set());
}

function advice(id: string): string {
  const name = `/${id.slice(id.lastIndexOf("/") + 1)}`;
  const others = [...definitionTexts().keys()].filter((other) => other.endsWith(name));
  return others.length > 0
    ? `; did you mean ${others.map((other) => JSON.stringify(other)).join(" or ")}?`
    : `; an id is group, version and Go type, such as "v1/Probe" or "apps/v1/DeploymentStrategy"`;
}

function convertDefinition(id: string, ancestors: ReadonlySet<string>): StructuralSchema {
  const special = SPECIAL[id];
  if (special !== undefined) return special();
  // A type that contains itself (JSONSchemaProps) has no structural schema.
  if (ancestors.has(id)) return toStructuralSchema(anyValue(), "");
  return convert(JSON.parse(definitionTexts().get(id)!) as PublishedSchema, new Set([...ancestors, id]));
}

function convert(schema: PublishedSchema, ancestors: ReadonlySet<string>): StructuralSchema {
  const ref = schema.$ref ?? schema.allOf?.[0]?.$ref;
  if (ref !== undefined) return convertDefinition(definitionId(ref), ancestors);
  const { properties, items, additionalProperties, required = [] } = schema;
  const out: Record<string, unknown> = {};
  for (const keyword of KEYWORDS) if (schema[keyword] !== undefined) out[keyword] = schema[keyword];
  // A []byte is published as a string with the list type of its Go type.
  if (schema.type !== "array") delete out["x-kubernetes-list-type"];
  if (properties !== undefined)
    out["properties"] = Object.fromEntries(
      Object.entries(properties).map(([name, field]) => [name, withDefault(convert(field, ancestors), field, required.includes(name))]),
    );
  if (items !== undefined) out["items"] = withRequiredKeys(convert(items, ancestors), schema["x-kubernetes-list-map-keys"] ?? []);
  if (typeof additionalProperties === "object") out["additionalProperties"] = convert(additionalProperties, ancestors);
  return (Object.keys(out).length === 0 ? toStructuralSchema(anyValue(), "") : out) as StructuralSchema;
}

/** Takes over a declared default. The zero values of required fields and empty structs are how Go writes them, not defaults. */
function withDefault(converted: StructuralSchema, published: PublishedSchema, isRequired: boolean): StructuralSchema {
  const value = published.default;
  const isStruct = typeof value === "object" && value !== null;
  return value === undefined || isStruct || isRequired ? converted : { ...converted, default: value };
}

/** Requires the keys of a list that have no default, as a CustomResourceDefinition must. Some built-in types leave them optional. */
function withRequiredKeys(item: StructuralSchema, keys: readonly string[]): StructuralSchema {
  const optional = keys.filter((key) => item.required?.includes(key) !== true && item.properties?.[key]?.default === undefined);
  return optional.length === 0 ? item : { ...item, required: [...(item.required ?? []), ...optional] };
}
