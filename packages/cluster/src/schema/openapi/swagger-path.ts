import { isObject, type Json, type JsonObject } from "pintle/kinds";
import { swaggerSchema } from "./swagger-schema.ts";

const METHODS = new Set(["get", "put", "post", "delete", "options", "head", "patch"]);

/** A published path as OpenAPI v2 puts it: what is sent is a parameter, and types of content belong to operations. */
export function swaggerPath(item: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(item).map(([key, value]) => {
      if (key === "parameters") return [key, (value as readonly JsonObject[]).map(swaggerParameter)];
      return [key, METHODS.has(key) ? swaggerOperation(value as JsonObject) : value];
    }),
  );
}

function swaggerOperation({ parameters = [], requestBody, responses = {}, ...rest }: JsonObject): JsonObject {
  const sent = requestBody as JsonObject | undefined;
  const answers = Object.entries(responses as JsonObject) as [string, JsonObject][];
  return {
    ...rest,
    consumes: sent === undefined ? ["*/*"] : contentTypes(sent),
    produces: [...new Set(answers.flatMap(([, answer]) => contentTypes(answer)))],
    parameters: [
      ...(sent === undefined ? [] : [{ name: "body", in: "body", required: sent["required"], schema: contentSchema(sent) }]),
      ...(parameters as readonly JsonObject[]).map(swaggerParameter),
    ],
    responses: Object.fromEntries(answers.map(([code, answer]) => [code, swaggerAnswer(answer)])),
  };
}

function swaggerParameter({ schema = {}, ...rest }: JsonObject): JsonObject {
  return { ...rest, ...(schema as JsonObject) };
}

function swaggerAnswer({ content: _, ...rest }: JsonObject): JsonObject {
  const schema = contentSchema({ content: _ });
  return schema === undefined ? rest : { ...rest, schema };
}

function contentTypes({ content }: JsonObject): readonly string[] {
  return isObject(content) ? Object.keys(content) : [];
}

function contentSchema({ content }: JsonObject): Json | undefined {
  const [first] = Object.values(isObject(content) ? content : {}) as readonly JsonObject[];
  return first?.["schema"] === undefined ? undefined : swaggerSchema(first["schema"] as JsonObject);
}
