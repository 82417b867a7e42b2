import { isObject, type Json } from "pintle/kinds";

const CRD = "k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.";

/** Structs that are one of several things in JSON: a schema or a list, a schema or a yes. */
const EITHER: Readonly<Record<string, (fields: Readonly<Record<string, Json>>) => Json>> = {
  [`${CRD}JSONSchemaPropsOrArray`]: ({ jSONSchemas, schema }) => jSONSchemas ?? schema ?? null,
  [`${CRD}JSONSchemaPropsOrBool`]: ({ allows, schema }) => schema ?? allows ?? false,
  [`${CRD}JSONSchemaPropsOrStringArray`]: ({ property, schema }) => property ?? schema ?? null,
};

/** The JSON of a message whose fields have been read, where it is not simply the object of these fields. */
export function rewritten(message: string, fields: Readonly<Record<string, Json>>): Json {
  const either = EITHER[message];
  return either !== undefined && isObject(fields) ? either(fields) : fields;
}
