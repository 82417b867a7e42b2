import type { JsonObject } from "pintle/kinds";
import { createReference, getMetaV1Name, getModelName, type PublishedKind } from "./published-schema.ts";

/** Value of `x-kubernetes-action`. */
export type OpenApiAction = "list" | "post" | "deletecollection" | "get" | "put" | "delete" | "patch";

const httpMethods: Readonly<Record<OpenApiAction, string>> = {
  list: "get",
  post: "post",
  deletecollection: "delete",
  get: "get",
  put: "put",
  delete: "delete",
  patch: "patch",
};
const operationVerbs: Readonly<Record<OpenApiAction, string>> = {
  list: "list",
  post: "create",
  deletecollection: "delete",
  get: "read",
  put: "replace",
  delete: "delete",
  patch: "patch",
};

const createQueryParameter = (name: string, type = "string"): JsonObject => ({ name, in: "query", schema: { type, uniqueItems: true } });
const createPathParameter = (name: string): JsonObject => ({
  name,
  in: "path",
  required: true,
  schema: { type: "string", uniqueItems: true },
});

const listOptions = [
  createQueryParameter("allowWatchBookmarks", "boolean"),
  createQueryParameter("continue"),
  createQueryParameter("fieldSelector"),
  createQueryParameter("labelSelector"),
  createQueryParameter("limit", "integer"),
  createQueryParameter("resourceVersion"),
  createQueryParameter("resourceVersionMatch"),
  createQueryParameter("sendInitialEvents", "boolean"),
  createQueryParameter("shardSelector"),
  createQueryParameter("timeoutSeconds", "integer"),
  createQueryParameter("watch", "boolean"),
];
/** kubectl sends `fieldValidation` only to operations that declare it. */
const writeOptions = [createQueryParameter("dryRun"), createQueryParameter("fieldManager"), createQueryParameter("fieldValidation")];
const deleteOptions = [
  createQueryParameter("dryRun"),
  createQueryParameter("gracePeriodSeconds", "integer"),
  createQueryParameter("ignoreStoreReadErrorWithClusterBreakingPotential", "boolean"),
  createQueryParameter("orphanDependents", "boolean"),
  createQueryParameter("propagationPolicy"),
];
const actionParameters: Readonly<Record<OpenApiAction, readonly JsonObject[]>> = {
  list: listOptions,
  deletecollection: listOptions,
  get: [createQueryParameter("resourceVersion")],
  post: writeOptions,
  put: writeOptions,
  patch: [...writeOptions, createQueryParameter("force", "boolean")],
  delete: deleteOptions,
};
const responseCodes: Readonly<Record<OpenApiAction, readonly number[]>> = {
  list: [200],
  deletecollection: [200],
  get: [200],
  post: [200, 201, 202],
  put: [200, 201],
  patch: [200],
  delete: [200, 202],
};
const responseDescriptions: Readonly<Record<number, string>> = { 200: "OK", 201: "Created", 202: "Accepted" };
const objectTypes = ["application/json", "application/yaml"];
const patchTypes = ["application/apply-patch+yaml", "application/json-patch+json", "application/merge-patch+json"];

export interface OpenApiPath {
  readonly path: string;
  readonly namespaced: boolean;
  /** "status", "scale", or "" for the resource itself. */
  readonly subresource: string;
  readonly actions: readonly OpenApiAction[];
  /** The list across all namespaces. */
  readonly allNamespaces?: boolean | undefined;
}

/** Builds one entry of `paths`. Parameters that all its operations share are on the path item. */
export function buildPathItem(of: PublishedKind, place: OpenApiPath): JsonObject {
  const shared = [
    ...(place.path.includes("{name}") ? [createPathParameter("name")] : []),
    ...(place.path.includes("{namespace}") ? [createPathParameter("namespace")] : []),
    createQueryParameter("pretty"),
  ];
  if (place.allNamespaces) {
    const parameters = [...listOptions, ...shared].sort((a, b) => (String(a["name"]) < String(b["name"]) ? -1 : 1));
    return { get: buildOperation(of, place, "list", []), parameters };
  }
  const item: Record<string, JsonObject | readonly JsonObject[]> = {};
  for (const action of place.actions) item[httpMethods[action]] = buildOperation(of, place, action, actionParameters[action]);
  return { ...item, parameters: shared } as JsonObject;
}

function buildOperation(of: PublishedKind, place: OpenApiPath, action: OpenApiAction, parameters: readonly JsonObject[]): JsonObject {
  const { group, version, kind } = of;
  const object = place.subresource === "scale" ? "io.k8s.api.autoscaling.v1.Scale" : getModelName(of, kind);
  const answer = action === "list" ? getModelName(of, of.listKind) : action.startsWith("delete") ? getMetaV1Name("Status") : object;
  const responses = responseCodes[action].map((code) => [
    code,
    { description: responseDescriptions[code]!, content: buildContent(objectTypes, answer) },
  ]);
  return {
    tags: [`${toCamelCase(group)}_${version}`],
    operationId: buildOperationId(of, place, action),
    ...(parameters.length > 0 && { parameters }),
    ...buildRequestBody(action, object),
    responses: { ...Object.fromEntries(responses), 401: { description: "Unauthorized" } },
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": { group, version, kind },
  };
}

function buildRequestBody(action: OpenApiAction, object: string): JsonObject {
  if (action === "post" || action === "put") return { requestBody: { content: buildContent(objectTypes, object), required: true } };
  if (action === "patch") return { requestBody: { content: buildContent(patchTypes, getMetaV1Name("Patch")), required: true } };
  return action === "delete" ? { requestBody: { content: buildContent(objectTypes, getMetaV1Name("DeleteOptions")) } } : {};
}

function buildContent(types: readonly string[], schema: string): JsonObject {
  return Object.fromEntries(types.map((type) => [type, { schema: createReference(schema) }]));
}

function buildOperationId({ group, version, kind }: PublishedKind, place: OpenApiPath, action: OpenApiAction): string {
  const collection = action === "deletecollection" ? "Collection" : "";
  const scope = place.allNamespaces ? "" : place.namespaced ? "Namespaced" : "";
  const part = place.allNamespaces ? "ForAllNamespaces" : capitalize(place.subresource);
  return `${operationVerbs[action]}${capitalize(toCamelCase(group))}${capitalize(version)}${collection}${scope}${kind}${part}`;
}

function toCamelCase(group: string): string {
  return group.replace(/[^A-Za-z0-9]+(.)?/g, (_, letter: string | undefined) => letter?.toUpperCase() ?? "");
}

function capitalize(word: string): string {
  return word === "" ? "" : word[0]!.toUpperCase() + word.slice(1);
}
