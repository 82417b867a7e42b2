import type { Json, JsonObject } from "pintle/kinds";

/** The table of operations, read once; each document's `paths` are built when asked for. */
export interface PathTables {
  /** What all documents have in common: openapi, info, securitySchemes. */
  readonly frame: { readonly openapi: string; readonly info: JsonObject; readonly securitySchemes: JsonObject };
  readonly documents: ReadonlyMap<string, () => JsonObject>;
}

/** The format is described where it is written: generator/cluster/paths-table.ts of the package pintle. */
export function readPaths(table: string): PathTables {
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
    documents.set(place, () => pathsOf(place, tag, own, shared));
    start = end;
  }
  return { frame: JSON.parse(frame!) as PathTables["frame"], documents };
}

interface Shared {
  readonly parameters: readonly Json[];
  readonly lists: readonly (readonly number[])[];
  readonly bodies: readonly Json[];
  readonly responses: readonly Json[];
}

function pathsOf(place: string, tag: string, lines: readonly string[], shared: Shared): JsonObject {
  const paths: Record<string, JsonObject> = {};
  let item: Record<string, Json> = {};
  for (const line of lines) {
    if (line.startsWith("\t\t")) {
      const words = line.slice(2).split(" ");
      item[words[0]!] = operationOf(place, tag, words, shared);
    } else {
      const [path, list] = line.slice(1).split(" ") as [string, string];
      item = list === "-" ? {} : { parameters: parametersOf(list, shared) };
      paths[path] = item;
    }
  }
  return paths;
}

function operationOf(place: string, tag: string, words: readonly string[], shared: Shared): JsonObject {
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
    ...(kind === "-" ? {} : { "x-kubernetes-group-version-kind": kindOf(place, kind) }),
    ...(list === "-" ? {} : { parameters: parametersOf(list, shared) }),
    ...(body === "-" ? {} : { requestBody: filled(shared.bodies[Number(body)]!, bodySchema) }),
    responses: filled(shared.responses[Number(answers)]!, answerSchema),
  };
}

function parametersOf(list: string, shared: Shared): readonly Json[] {
  return shared.lists[Number(list)]!.map((id) => shared.parameters[id]!);
}

function kindOf(place: string, text: string): JsonObject {
  const [kind, version, group] = text.split("/").reverse() as [string, string?, string?];
  if (version !== undefined) return { group: group ?? "", version, kind };
  const [own, ownGroup] = place.split("/").slice(1).reverse() as [string, string?];
  return { group: ownGroup ?? "", version: own, kind };
}

/** A body or response with the name of its schema put in. */
function filled(template: Json, schema: string): Json {
  if (Array.isArray(template)) return template.map((item: Json) => filled(item, schema));
  if (typeof template !== "object" || template === null) return template;
  return Object.fromEntries(
    Object.entries(template).map(([key, value]) => [
      key,
      key === "$ref" ? `#/components/schemas/${schema}` : filled(value as Json, schema),
    ]),
  );
}
