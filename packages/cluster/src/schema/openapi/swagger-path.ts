import { isJsonObject } from "pintle/internal/json";
import type { Json, JsonObject } from "pintle/kinds";
import { toSwaggerSchema } from "./swagger-schema.ts";

const METHODS = new Set(["get", "put", "post", "delete", "options", "head", "patch"]);

/** Converts a path item to OpenAPI v2: the request body becomes a parameter, and content types belong to operations. */
export function toSwaggerPath(item: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(item).map(([key, value]) => {
      if (key === "parameters") return [key, (value as readonly JsonObject[]).map(toSwaggerParameter)];
      return [key, METHODS.has(key) ? toSwaggerOperation(value as JsonObject) : value];
    }),
  );
}

function toSwaggerOperation({ parameters = [], requestBody, responses = {}, ...rest }: JsonObject): JsonObject {
  const sent = requestBody as JsonObject | undefined;
  const answers = Object.entries(responses as JsonObject) as [string, JsonObject][];
  return {
    ...rest,
    consumes: sent === undefined ? ["*/*"] : getContentTypes(sent),
    produces: [...new Set(answers.flatMap(([, answer]) => getContentTypes(answer)))],
    parameters: [
      ...(sent === undefined ? [] : [{ name: "body", in: "body", required: sent["required"], schema: getContentSchema(sent) }]),
      ...(parameters as readonly JsonObject[]).map(toSwaggerParameter),
    ],
    responses: Object.fromEntries(answers.map(([code, answer]) => [code, toSwaggerResponse(answer)])),
  };
}

function toSwaggerParameter({ schema = {}, ...rest }: JsonObject): JsonObject {
  return { ...rest, ...(schema as JsonObject) };
}

function toSwaggerResponse({ content: _, ...rest }: JsonObject): JsonObject {
  const schema = getContentSchema({ content: _ });
  return schema === undefined ? rest : { ...rest, schema };
}

function getContentTypes({ content }: JsonObject): readonly string[] {
  return isJsonObject(content) ? Object.keys(content) : [];
}

function getContentSchema({ content }: JsonObject): Json | undefined {
  const [first] = Object.values(isJsonObject(content) ? content : {}) as readonly JsonObject[];
  return first?.["schema"] === undefined ? undefined : toSwaggerSchema(first["schema"] as JsonObject);
}
