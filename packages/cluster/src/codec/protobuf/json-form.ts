import { isObject, type Json } from "pintle/kinds";

const CRD = "k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.";

/** Structs that are one of several things in JSON: a schema or a list, a schema or a yes. */
const EITHER: Readonly<Record<string, (fields: Readonly<Record<string, Json>>) => Json>> = {
  [`${CRD}JSONSchemaPropsOrArray`]: ({ jSONSchemas, schema }) => jSONSchemas ?? schema ?? null,
  [`${CRD}JSONSchemaPropsOrBool`]: ({ allows, schema }) => schema ?? allows ?? false,
  [`${CRD}JSONSchemaPropsOrStringArray`]: ({ property, schema }) => property ?? schema ?? null,
};

type Fields = Readonly<Record<string, Json>>;

/** The same from JSON: the fields that are on the wire. Where a schema stands for a yes, both are. */
const SPLIT: Readonly<Record<string, (value: Json) => Fields>> = {
  [`${CRD}JSONSchemaPropsOrArray`]: (value) => (Array.isArray(value) ? { jSONSchemas: value as Json } : { schema: value }),
  [`${CRD}JSONSchemaPropsOrBool`]: (value) => (typeof value === "boolean" ? { allows: value } : { allows: true, schema: value }),
  [`${CRD}JSONSchemaPropsOrStringArray`]: (value) => (Array.isArray(value) ? { property: value as Json } : { schema: value }),
};

/** The fields of a message from its JSON. */
export function fieldsOf(message: string, value: Json): Fields {
  const split = message.startsWith(CRD) ? SPLIT[message] : undefined;
  return split === undefined ? (value as Fields) : split(value);
}

/** The JSON of a message whose fields have been read, where it is not simply the object of these fields. */
export function rewritten(message: string, fields: Readonly<Record<string, Json>>): Json {
  const either = EITHER[message];
  return either !== undefined && isObject(fields) ? either(fields) : fields;
}
