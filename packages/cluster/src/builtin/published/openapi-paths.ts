import type { Json, JsonObject } from "pintle/kinds";

/** The parsed table of operations; the `paths` of each document are built on demand. */
export interface OpenApiPathTables {
  /** Fields that all documents share: openapi, info, securitySchemes. */
  readonly common: { readonly openapi: string; readonly info: JsonObject; readonly securitySchemes: JsonObject };
  readonly documents: ReadonlyMap<string, () => JsonObject>;
}

/**
 * Parses the table of operations. Its format is described in generator/cluster/paths-table.ts of the package pintle,
 * which writes it.
 */
export function parsePathTables(table: string): OpenApiPathTables {
  const [frame, parameters, lists, bodies, responses, ...lines] = table.split("\n");
  const shared = {
    parameters: JSON.parse(parameters!) as readonly Json[],
    lists: JSON.parse(lists!) as readonly (readonly number[])[],
    bodies: JSON.parse(bodies!) as readonly Json[],
    responses: JSON.parse(responses!) as readonly Json[],
  };
  const documents = new Map<string, () => JsonObject>();
  for (let start = 0; start < lines.length; ) {
    let end = start + 1;
    while (end < lines.length && lines[end]!.startsWith("\t")) end++;
    const [place, tag] = lines[start]!.split(" ") as [string, string];
    const own = lines.slice(start + 1, end);
    documents.set(place, () => buildPaths(place, tag, own, shared));
    start = end;
  }
  return { common: JSON.parse(frame!) as OpenApiPathTables["common"], documents };
}

interface SharedPathParts {
  readonly parameters: readonly Json[];
  readonly lists: readonly (readonly number[])[];
  readonly bodies: readonly Json[];
  readonly responses: readonly Json[];
}

function buildPaths(documentPath: string, tag: string, lines: readonly string[], shared: SharedPathParts): JsonObject {
  const paths: Record<string, JsonObject> = {};
  let item: Record<string, Json> = {};
  for (const line of lines) {
    if (line.startsWith("\t\t")) {
      const words = line.slice(2).split(" ");
      item[words[0]!] = buildOperation(documentPath, tag, words, shared);
    } else {
      const [path, list] = line.slice(1).split(" ") as [string, string];
      item = list === "-" ? {} : { parameters: getParameters(list, shared) };
      paths[path] = item;
    }
  }
  return paths;
}

function buildOperation(documentPath: string, tag: string, words: readonly string[], shared: SharedPathParts): JsonObject {
  const [, action, kind, operationId, list, body, answers, bodySchema, answerSchema] = words as [
    string,
    string,
    string,
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  return {
    operationId,
    tags: [tag],
    ...(action === "-" ? {} : { "x-kubernetes-action": action }),
    ...(kind === "-" ? {} : { "x-kubernetes-group-version-kind": parseGroupVersionKind(documentPath, kind) }),
    ...(list === "-" ? {} : { parameters: getParameters(list, shared) }),
    ...(body === "-" ? {} : { requestBody: fillSchemaReference(shared.bodies[Number(body)]!, bodySchema) }),
    responses: fillSchemaReference(shared.responses[Number(answers)]!, answerSchema),
  };
}

function getParameters(list: string, shared: SharedPathParts): readonly Json[] {
  return shared.lists[Number(list)]!.map((id) => shared.parameters[id]!);
}

function parseGroupVersionKind(documentPath: string, text: string): JsonObject {
  const [kind, version, group] = text.split("/").reverse() as [string, string?, string?];
  if (version !== undefined) return { group: group ?? "", version, kind };
  const [own, ownGroup] = documentPath.split("/").slice(1).reverse() as [string, string?];
  return { group: ownGroup ?? "", version: own, kind };
}

/** Returns a request body or response template with its schema reference filled in. */
function fillSchemaReference(template: Json, schema: string): Json {
  if (Array.isArray(template)) return template.map((item: Json) => fillSchemaReference(item, schema));
  if (typeof template !== "object" || template === null) return template;
  return Object.fromEntries(
    Object.entries(template).map(([key, value]) => [
      key,
      key === "$ref" ? `#/components/schemas/${schema}` : fillSchemaReference(value as Json, schema),
    ]),
  );
}
