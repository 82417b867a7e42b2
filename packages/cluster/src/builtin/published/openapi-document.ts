import { memoize, memoizeByKey } from "pintle/internal/memoize";
import type { JsonObject } from "pintle/kinds";
import { getDefinition } from "./definitions.ts";
import { type OpenApiPathTables, parsePathTables } from "./openapi-paths.ts";

/** Returns the paths of all documents below /openapi/v3, sorted: "api/v1", "apis/apps", "apis/apps/v1", "version". */
export async function listOpenApiPaths(): Promise<readonly string[]> {
  return [...(await loadPathTables()).documents.keys()];
}

/** Returns a document below /openapi/v3 without descriptions; undefined if there is none. */
export async function getOpenApiDocument(documentPath: string): Promise<JsonObject | undefined> {
  const { documents } = await loadPathTables();
  return documents.has(documentPath) ? buildDocument(documentPath) : undefined;
}

/** Documents are built once: that takes as long as some fifty small requests. */
const buildDocument = memoizeByKey(async (documentPath: string): Promise<JsonObject> => {
  const { common, documents } = await loadPathTables();
  const paths = documents.get(documentPath)?.() ?? {};
  const { openapi, info, securitySchemes } = common;
  const schemas = collectReferencedSchemas(paths, documentPath);
  return { openapi, info, paths, components: { ...(Object.keys(schemas).length === 0 ? {} : { schemas }), securitySchemes } };
});

/** Loaded separately, because only clients that read OpenAPI need it. */
const loadPathTables = memoize(
  (): Promise<OpenApiPathTables> => import("../generated/paths.ts").then(({ paths }) => parsePathTables(paths)),
);

const REFERENCE = /"#\/components\/schemas\/([^"]+)"/g;
/** Schemas that every document contains, with the group-version of the document added. */
const IN_EVERY_GROUP = /\.meta\.v1\.(DeleteOptions|WatchEvent)$/;

/** Returns the schemas that the paths of a document reference, directly or indirectly. */
function collectReferencedSchemas(paths: JsonObject, documentPath: string): JsonObject {
  const found = new Map<string, JsonObject>();
  const visit = (value: JsonObject): void => {
    for (const [, name] of JSON.stringify(value).matchAll(REFERENCE)) {
      if (found.has(name!)) continue;
      const schema = getDefinition(name!)!;
      found.set(name!, IN_EVERY_GROUP.test(name!) ? addDocumentGroupVersion(schema, documentPath) : schema);
      visit(schema);
    }
  };
  visit(paths);
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function addDocumentGroupVersion(schema: JsonObject, documentPath: string): JsonObject {
  const [, group, version] = /^apis\/([^/]+)\/([^/]+)$/.exec(documentPath) ?? [];
  if (group === undefined) return schema;
  const core = schema["x-kubernetes-group-version-kind"] as readonly JsonObject[];
  const own = core.map(({ kind }) => ({ group, kind, version }) as JsonObject);
  return { ...schema, "x-kubernetes-group-version-kind": [...core, ...own] };
}
