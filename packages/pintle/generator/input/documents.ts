import type { OpenApiSchema } from "../schema.ts";

/** The documents of an API server that the generator reads. */
export interface PublishedDocuments {
  /** "v1.36.3". */
  readonly serverVersion: string;
  /** OpenAPI v3 documents by their path below /openapi/v3: "api/v1", "apis/apps/v1". */
  readonly openapi: ReadonlyMap<string, OpenApiDocument>;
  /** The discovery document of each group-version ("v1", "apps/v1"), not aggregated. */
  readonly resources: ReadonlyMap<string, ResourceList>;
  /** Groups in order of priority, without the core group. */
  readonly groups: readonly ApiGroup[];
  /** The APIServices, which contain the priorities. */
  readonly services: readonly ApiService[];
}

export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, OpenApiSchema>>; readonly securitySchemes?: unknown };
}
export type PathItem = Readonly<Record<string, unknown>>;

export interface ResourceList {
  readonly kind: "APIResourceList";
  readonly groupVersion: string;
  readonly resources: readonly ApiResource[];
}
export interface ApiResource {
  /** "deployments" or "deployments/scale". */
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  readonly kind: string;
  readonly group?: string;
  readonly version?: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly storageVersionHash?: string;
}

export interface ApiGroup {
  readonly name: string;
  readonly versions: readonly { readonly groupVersion: string; readonly version: string }[];
  readonly preferredVersion: { readonly groupVersion: string; readonly version: string };
}

export interface ApiService {
  readonly spec: {
    readonly group?: string;
    readonly version: string;
    readonly groupPriorityMinimum: number;
    readonly versionPriority: number;
  };
}

/** Classifies responses by their content; other documents are ignored. Throws if the OpenAPI or discovery documents are missing. */
export function classifyDocuments(responses: Iterable<unknown>): PublishedDocuments {
  const openapi = new Map<string, OpenApiDocument>();
  const resources = new Map<string, ResourceList>();
  let groups: readonly ApiGroup[] = [];
  let services: readonly ApiService[] = [];
  for (const response of responses) {
    if (isOpenApi(response)) openapi.set(openApiPath(response), response);
    else if (isOfKind<ResourceList>(response, "APIResourceList")) resources.set(response.groupVersion, response);
    else if (isOfKind<{ readonly groups: readonly ApiGroup[] }>(response, "APIGroupList")) groups = response.groups;
    else if (isOfKind<{ readonly items: readonly ApiService[] }>(response, "APIServiceList")) services = response.items;
  }
  const first = openapi.values().next().value;
  if (first === undefined)
    throw new Error("No OpenAPI v3 document was found: use a folder with the /openapi/v3 responses of an API server");
  if (resources.size === 0) throw new Error("No APIResourceList was found: add the responses of /api/v1 and /apis/<group>/<version>");
  return { serverVersion: first.info.version, openapi, resources, groups, services };
}

/** Returns the path of a document, which is the shortest of the paths in it: "/apis/apps/v1/" for apps/v1. */
function openApiPath(document: OpenApiDocument): string {
  const paths = Object.keys(document.paths).sort((a, b) => a.length - b.length);
  return (paths[0] ?? "").replace(/^\/|\/$/g, "");
}

function isOpenApi(response: unknown): response is OpenApiDocument {
  return (
    isRecord(response) && typeof response["openapi"] === "string" && response["openapi"].startsWith("3.") && isRecord(response["paths"])
  );
}

function isOfKind<T>(response: unknown, kind: string): response is T {
  return isRecord(response) && response["kind"] === kind;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
