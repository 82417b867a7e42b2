import { createHash } from "node:crypto";
import { memoize } from "pintle/internal/memoize";
import type { Json, JsonObject } from "pintle/kinds";
import type { OpenApiSource } from "../api/index.ts";
import { getDefinition, getOpenApiDocument, listDefinitionNames, listOpenApiPaths } from "../builtin/index.ts";
import type { CustomResourceDefinition } from "../schema/crd/index.ts";
import { buildCrdOpenApi, hashDocument, toSwaggerDefinition, toSwaggerPath, toSwaggerSchema } from "../schema/openapi/index.ts";
import { eventLoopTurns, mapInTurns, type Turns } from "../turns/index.ts";

interface PublishedDocument {
  readonly hash: string;
  readonly document: JsonObject;
}

/**
 * Publishes the OpenAPI documents: those of built-in kinds as recorded from a real server, and one per group-version of CRDs, from the
 * moment that their names are accepted; and all schemas as OpenAPI v2.
 */
export function createOpenApiPublisher(crds: () => readonly JsonObject[], version: string): OpenApiSource {
  // CRDs are immutable: while the list is unchanged, so are the documents.
  let publishedCrds: readonly JsonObject[] = [];
  let documents = new Map<string, () => PublishedDocument>();
  let swagger: Promise<JsonObject> | undefined;
  const reused: ReusedDocuments = new Map();
  const updateDocuments = (): ReadonlyMap<string, () => PublishedDocument> => {
    const now = crds().filter(hasAcceptedNames);
    if (now.length !== publishedCrds.length || now.some((crd, index) => crd !== publishedCrds[index])) {
      publishedCrds = now;
      documents = buildCustomDocuments(now, reused);
      swagger = undefined;
    }
    return documents;
  };

  return {
    async index() {
      const builtin = (await listOpenApiPaths()).map((path) => [path, getBuiltinHash(path, version)] as const);
      return new Map(
        [...builtin, ...[...updateDocuments()].map(([path, published]) => [path, published().hash] as const)].sort(([a], [b]) =>
          a < b ? -1 : 1,
        ),
      );
    },
    document: async (path) => updateDocuments().get(path)?.().document ?? (await getOpenApiDocument(path)),
    swagger() {
      const custom = updateDocuments();
      swagger ??= buildSwagger([...custom.values()], version);
      return swagger;
    },
  };
}

async function buildSwagger(custom: readonly (() => PublishedDocument)[], version: string): Promise<JsonObject> {
  const turns = eventLoopTurns.begin();
  const own = await getBuiltinSwagger();
  const documents = await mapInTurns(custom, (published) => published().document, turns);
  return { swagger: "2.0", info: { title: "Kubernetes", version }, ...(await mergeSwagger(documents, own, turns)) };
}

interface SwaggerSections {
  readonly paths: JsonObject;
  readonly definitions: JsonObject;
}

/** Built on first use, because few clients request OpenAPI v2, and in turns: it takes about a second. */
const getBuiltinSwagger = memoize(async (): Promise<SwaggerSections> => {
  const turns = eventLoopTurns.begin();
  const documents: JsonObject[] = [];
  for (const path of await listOpenApiPaths()) {
    await turns.wait();
    documents.push((await getOpenApiDocument(path))!);
  }
  const definitions = await mapInTurns(listDefinitionNames(), (name) => [name, toSwaggerSchema(getDefinition(name)!)] as const, turns);
  const all = { paths: {}, definitions: Object.fromEntries(definitions) };
  return { paths: (await mergeSwagger(documents, all, turns)).paths, definitions: all.definitions };
});

async function mergeSwagger(
  documents: readonly JsonObject[],
  { paths, definitions }: SwaggerSections,
  turns: Turns,
): Promise<SwaggerSections> {
  const allPaths: Record<string, Json | undefined> = { ...paths };
  const all: Record<string, Json | undefined> = { ...definitions };
  for (const document of documents) {
    if (!hasSwaggerSections(document)) await turns.wait();
    const own = toSwaggerSections(document);
    Object.assign(allPaths, own.paths);
    for (const [name, definition] of Object.entries(own.definitions)) all[name] ??= definition;
  }
  return { paths: allPaths, definitions: all };
}

const convertedDocuments = new WeakSet<JsonObject>();
const hasSwaggerSections = (document: JsonObject) => convertedDocuments.has(document);

/** Once per document: one new CRD must not convert those of all others. */
const toSwaggerSections = memoize((document: JsonObject): SwaggerSections => {
  convertedDocuments.add(document);
  const { paths, components } = document;
  const schemas = ((components as JsonObject)["schemas"] ?? {}) as JsonObject;
  const convert = (values: JsonObject, to: (value: JsonObject) => Json) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, to(value as JsonObject)]));
  return { paths: convert(paths as JsonObject, toSwaggerPath), definitions: convert(schemas, toSwaggerDefinition) };
});

/** Built-in documents change only with the release; hashing them would require building them all. */
function getBuiltinHash(path: string, version: string): string {
  return createHash("sha256").update(`${version} ${path}`).digest("hex").toUpperCase();
}

function hasAcceptedNames({ status }: JsonObject): boolean {
  const conditions = ((status as JsonObject | undefined)?.["conditions"] ?? []) as readonly {
    readonly type: string;
    readonly status: string;
  }[];
  return conditions.some((each) => (each.type === "NamesAccepted" || each.type === "Established") && each.status === "True");
}

/** The document of each path, and the CRDs of its group that it was built from. */
type ReusedDocuments = Map<string, { readonly from: readonly CustomResourceDefinition[]; readonly published: PublishedDocument }>;

function buildCustomDocuments(crds: readonly JsonObject[], reused: ReusedDocuments): Map<string, () => PublishedDocument> {
  const definitions = crds as unknown as readonly CustomResourceDefinition[];
  const byGroup = new Map<string, CustomResourceDefinition[]>();
  for (const each of definitions) {
    const { group = "" } = each.spec;
    const known = byGroup.get(group);
    if (known === undefined) byGroup.set(group, [each]);
    else known.push(each);
  }
  const documents = new Map<string, () => PublishedDocument>();
  for (const { spec } of definitions) {
    const { group = "", versions = [] } = spec;
    for (const { name, served } of versions) {
      const path = `apis/${group}/${name}`;
      if (!served || documents.has(path)) continue;
      const from = byGroup.get(group) as readonly CustomResourceDefinition[];
      documents.set(path, () => {
        const known = reused.get(path);
        if (known !== undefined && known.from.length === from.length && known.from.every((each, index) => each === from[index])) {
          return known.published;
        }
        const document = buildCrdOpenApi(group, name, from, getDefinition);
        const published = { document, hash: hashDocument(document) };
        reused.set(path, { from, published });
        return published;
      });
    }
  }
  for (const path of reused.keys()) if (!documents.has(path)) reused.delete(path);
  return documents;
}
