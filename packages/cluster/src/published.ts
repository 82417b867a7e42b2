import { createHash } from "node:crypto";
import type { Json, JsonObject } from "pintle/kinds";
import type { OpenApi } from "./api/index.ts";
import { definition, definitionNames, openApiDocument, openApiPlaces } from "./builtin/index.ts";
import { type CustomResourceDefinition, crdOpenApi, documentHash, swaggerPath, swaggerSchema } from "./schema/index.ts";

interface Published {
  readonly hash: string;
  readonly document: JsonObject;
}

/**
 * The OpenAPI documents: those of built-in kinds as a real server publishes them, and one for each group-version
 * that CRDs define, from the moment their names are accepted; and the schemas of all once more, as v2.
 */
export function publishedApi(crds: () => readonly JsonObject[], version: string): OpenApi {
  // CRDs are values: as long as they are the same ones, so are their documents.
  let seen: readonly JsonObject[] = [];
  let documents = new Map<string, () => Published>();
  let swagger: JsonObject | undefined;
  const current = (): ReadonlyMap<string, () => Published> => {
    const now = crds().filter(hasNames);
    if (now.length !== seen.length || now.some((crd, index) => crd !== seen[index])) {
      seen = now;
      documents = customDocuments(now);
      swagger = undefined;
    }
    return documents;
  };

  return {
    async index() {
      const builtin = (await openApiPlaces()).map((place) => [place, builtinHash(place, version)] as const);
      return new Map(
        [...builtin, ...[...current()].map(([place, published]) => [place, published().hash] as const)].sort(([a], [b]) =>
          a < b ? -1 : 1,
        ),
      );
    },
    document: async (place) => current().get(place)?.().document ?? (await openApiDocument(place)),
    async swagger() {
      const own = await builtinSwagger();
      const custom = [...current().values()].map((published) => published().document);
      swagger ??= { swagger: "2.0", info: { title: "Kubernetes", version }, ...swaggerParts(custom, own) };
      return swagger;
    },
  };
}

interface SwaggerParts {
  readonly paths: JsonObject;
  readonly definitions: JsonObject;
}
let builtin: Promise<SwaggerParts> | undefined;

/** Made once: clients that ask for v2 ask for all of it, and most ask for none. */
function builtinSwagger(): Promise<SwaggerParts> {
  builtin ??= (async () => {
    const documents = await Promise.all((await openApiPlaces()).map(async (place) => (await openApiDocument(place))!));
    const definitions = Object.fromEntries(definitionNames().map((name) => [name, swaggerSchema(definition(name)!)]));
    return { paths: swaggerParts(documents, { paths: {}, definitions }).paths, definitions };
  })();
  return builtin;
}

function swaggerParts(documents: readonly JsonObject[], { paths, definitions }: SwaggerParts): SwaggerParts {
  const allPaths: Record<string, Json | undefined> = { ...paths };
  const all: Record<string, Json | undefined> = { ...definitions };
  for (const { paths: own, components } of documents) {
    for (const [path, item] of Object.entries(own as JsonObject)) allPaths[path] = swaggerPath(item as JsonObject);
    for (const [name, schema] of Object.entries(((components as JsonObject)["schemas"] ?? {}) as JsonObject)) {
      all[name] ??= swaggerSchema(schema as JsonObject);
    }
  }
  return { paths: allPaths, definitions: all };
}

/** They change with the release only, and to hash them all would mean to build them all. */
function builtinHash(place: string, version: string): string {
  return createHash("sha256").update(`${version} ${place}`).digest("hex").toUpperCase();
}

function hasNames({ status }: JsonObject): boolean {
  const conditions = ((status as JsonObject | undefined)?.["conditions"] ?? []) as readonly {
    readonly type: string;
    readonly status: string;
  }[];
  return conditions.some((each) => (each.type === "NamesAccepted" || each.type === "Established") && each.status === "True");
}

function customDocuments(crds: readonly JsonObject[]): Map<string, () => Published> {
  const definitions = crds as unknown as readonly CustomResourceDefinition[];
  const places = new Map<string, () => Published>();
  for (const { spec } of definitions) {
    const { group = "", versions = [] } = spec;
    for (const { name, served } of versions) {
      if (!served || places.has(`apis/${group}/${name}`)) continue;
      let made: Published | undefined;
      places.set(`apis/${group}/${name}`, () => {
        if (made === undefined) {
          const document = crdOpenApi(group, name, definitions, definition);
          made = { document, hash: documentHash(document) };
        }
        return made;
      });
    }
  }
  return places;
}
