import type { Schema } from "./schema.ts";

/** What a server publishes about itself, as far as the generator reads it. */
export interface Documents {
  /** "v1.36.3". */
  readonly serverVersion: string;
  /** OpenAPI v3 documents by their place below /openapi/v3: "api/v1", "apis/apps/v1". */
  readonly openapi: ReadonlyMap<string, OpenApiDocument>;
  /** Discovery of each group-version ("v1", "apps/v1"), as answered without aggregation. */
  readonly resources: ReadonlyMap<string, ResourceList>;
  /** Groups in the server's order of priority, without the core group. */
  readonly groups: readonly ApiGroup[];
  /** What that order comes from. */
  readonly services: readonly ApiService[];
}

export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>>; readonly securitySchemes?: unknown };
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

/** Sorts answers by what they are, whatever files or addresses they came from; anything else is left aside. */
export function documents(answers: Iterable<unknown>): Documents {
  const openapi = new Map<string, OpenApiDocument>();
  const resources = new Map<string, ResourceList>();
  let groups: readonly ApiGroup[] = [];
  let services: readonly ApiService[] = [];
  for (const answer of answers) {
    if (isOpenApi(answer)) openapi.set(placeOf(answer), answer);
    else if (isOfKind<ResourceList>(answer, "APIResourceList")) resources.set(answer.groupVersion, answer);
    else if (isOfKind<{ readonly groups: readonly ApiGroup[] }>(answer, "APIGroupList")) groups = answer.groups;
    else if (isOfKind<{ readonly items: readonly ApiService[] }>(answer, "APIServiceList")) services = answer.items;
  }
  const first = openapi.values().next().value;
  if (first === undefined) throw new Error("No OpenAPI v3 document was found: give a folder with a server's /openapi/v3 answers");
  if (resources.size === 0) throw new Error("No APIResourceList was found: give the answers of /api/v1 and /apis/<group>/<version> too");
  return { serverVersion: first.info.version, openapi, resources, groups, services };
}

/** A document's place is the shortest of its paths: "/apis/apps/v1/" for the group-version apps/v1. */
function placeOf(document: OpenApiDocument): string {
  const paths = Object.keys(document.paths).sort((a, b) => a.length - b.length);
  return (paths[0] ?? "").replace(/^\/|\/$/g, "");
}

function isOpenApi(answer: unknown): answer is OpenApiDocument {
  return isRecord(answer) && typeof answer["openapi"] === "string" && answer["openapi"].startsWith("3.") && isRecord(answer["paths"]);
}

function isOfKind<T>(answer: unknown, kind: string): answer is T {
  return isRecord(answer) && answer["kind"] === kind;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
