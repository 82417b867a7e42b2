import { isJsonObject } from "pintle/internal/json";
import type { Json } from "pintle/kinds";

const CRD = "k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.";

/** Messages whose JSON is one of several types: a schema or a list, a schema or a boolean. */
const UNION_MERGERS: Readonly<Record<string, (fields: Readonly<Record<string, Json>>) => Json>> = {
  [`${CRD}JSONSchemaPropsOrArray`]: ({ jSONSchemas, schema }) => jSONSchemas ?? schema ?? null,
  [`${CRD}JSONSchemaPropsOrBool`]: ({ allows, schema }) => schema ?? allows ?? false,
  [`${CRD}JSONSchemaPropsOrStringArray`]: ({ property, schema }) => property ?? schema ?? null,
};

type UnionFields = Readonly<Record<string, Json>>;

/** The reverse: the wire fields of a JSON value. A schema that implies `true` sets both fields. */
const UNION_SPLITTERS: Readonly<Record<string, (value: Json) => UnionFields>> = {
  [`${CRD}JSONSchemaPropsOrArray`]: (value) => (Array.isArray(value) ? { jSONSchemas: value as Json } : { schema: value }),
  [`${CRD}JSONSchemaPropsOrBool`]: (value) => (typeof value === "boolean" ? { allows: value } : { allows: true, schema: value }),
  [`${CRD}JSONSchemaPropsOrStringArray`]: (value) => (Array.isArray(value) ? { property: value as Json } : { schema: value }),
};

/** Returns the wire fields of a message's JSON. */
export function splitUnion(message: string, value: Json): UnionFields {
  const split = message.startsWith(CRD) ? UNION_SPLITTERS[message] : undefined;
  return split === undefined ? (value as UnionFields) : split(value);
}

/** Returns the JSON of decoded fields where it is not simply the object of these fields. */
export function mergeUnion(message: string, fields: Readonly<Record<string, Json>>): Json {
  const either = UNION_MERGERS[message];
  return either !== undefined && isJsonObject(fields) ? either(fields) : fields;
}
