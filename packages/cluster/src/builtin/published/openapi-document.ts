import type { JsonObject } from "pintle/kinds";
import { definition } from "./definitions.ts";
import { type PathTables, readPaths } from "./openapi-paths.ts";

let tables: Promise<PathTables> | undefined;

/** Places of all documents below /openapi/v3, sorted: "api/v1", "apis/apps", "apis/apps/v1", "version". */
export async function openApiPlaces(): Promise<readonly string[]> {
  return [...(await loaded()).documents.keys()];
}

/** One document below /openapi/v3 as the server publishes it, but for descriptions; undefined when there is none. */
export async function openApiDocument(place: string): Promise<JsonObject | undefined> {
  const { frame, documents } = await loaded();
  const paths = documents.get(place)?.();
  if (paths === undefined) return undefined;
  const { openapi, info, securitySchemes } = frame;
  const schemas = reachable(paths, place);
  return { openapi, info, paths, components: { ...(Object.keys(schemas).length === 0 ? {} : { schemas }), securitySchemes } };
}

/** Loaded apart from the rest: only clients that read OpenAPI need it. */
function loaded(): Promise<PathTables> {
  tables ??= import("../generated/paths.ts").then(({ paths }) => readPaths(paths));
  return tables;
}

const REFERENCE = /"#\/components\/schemas\/([^"]+)"/g;
/** Published in every document, with that document's group-version beside the core one. */
const IN_EVERY_GROUP = /\.meta\.v1\.(DeleteOptions|WatchEvent)$/;

/** A document carries exactly the schemas that its paths lead to. */
function reachable(paths: JsonObject, place: string): JsonObject {
  const found = new Map<string, JsonObject>();
  const visit = (value: JsonObject): void => {
    for (const [, name] of JSON.stringify(value).matchAll(REFERENCE)) {
      if (found.has(name!)) continue;
      const schema = definition(name!)!;
      found.set(name!, IN_EVERY_GROUP.test(name!) ? alsoHere(schema, place) : schema);
      visit(schema);
    }
  };
  visit(paths);
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function alsoHere(schema: JsonObject, place: string): JsonObject {
  const [, group, version] = /^apis\/([^/]+)\/([^/]+)$/.exec(place) ?? [];
  if (group === undefined) return schema;
  const core = schema["x-kubernetes-group-version-kind"] as readonly JsonObject[];
  const own = core.map(({ kind }) => ({ group, kind, version }) as JsonObject);
  return { ...schema, "x-kubernetes-group-version-kind": [...core, ...own] };
}
