import type { JsonObject } from "pintle/kinds";
import { meta, modelName, type PublishedKind, reference } from "./crd-schema.ts";

/** What an operation does, as `x-kubernetes-action` calls it. */
export type Action = "list" | "post" | "deletecollection" | "get" | "put" | "delete" | "patch";

const methods: Readonly<Record<Action, string>> = {
  list: "get",
  post: "post",
  deletecollection: "delete",
  get: "get",
  put: "put",
  delete: "delete",
  patch: "patch",
};
const operationVerbs: Readonly<Record<Action, string>> = {
  list: "list",
  post: "create",
  deletecollection: "delete",
  get: "read",
  put: "replace",
  delete: "delete",
  patch: "patch",
};

const query = (name: string, type = "string"): JsonObject => ({ name, in: "query", schema: { type, uniqueItems: true } });
const inPath = (name: string): JsonObject => ({ name, in: "path", required: true, schema: { type: "string", uniqueItems: true } });

const listOptions = [
  query("allowWatchBookmarks", "boolean"),
  query("continue"),
  query("fieldSelector"),
  query("labelSelector"),
  query("limit", "integer"),
  query("resourceVersion"),
  query("resourceVersionMatch"),
  query("sendInitialEvents", "boolean"),
  query("shardSelector"),
  query("timeoutSeconds", "integer"),
  query("watch", "boolean"),
];
/** kubectl sends `fieldValidation` only to operations that list it here. */
const writeOptions = [query("dryRun"), query("fieldManager"), query("fieldValidation")];
const deleteOptions = [
  query("dryRun"),
  query("gracePeriodSeconds", "integer"),
  query("ignoreStoreReadErrorWithClusterBreakingPotential", "boolean"),
  query("orphanDependents", "boolean"),
  query("propagationPolicy"),
];
const options: Readonly<Record<Action, readonly JsonObject[]>> = {
  list: listOptions,
  deletecollection: listOptions,
  get: [query("resourceVersion")],
  post: writeOptions,
  put: writeOptions,
  patch: [...writeOptions, query("force", "boolean")],
  delete: deleteOptions,
};
const answers: Readonly<Record<Action, readonly number[]>> = {
  list: [200],
  deletecollection: [200],
  get: [200],
  post: [200, 201, 202],
  put: [200, 201],
  patch: [200],
  delete: [200, 202],
};
const answerTexts: Readonly<Record<number, string>> = { 200: "OK", 201: "Created", 202: "Accepted" };
const objectTypes = ["application/json", "application/yaml"];
const patchTypes = ["application/apply-patch+yaml", "application/json-patch+json", "application/merge-patch+json"];

export interface Place {
  readonly path: string;
  readonly namespaced: boolean;
  /** "status", "scale", or "" for the object itself. */
  readonly subresource: string;
  readonly actions: readonly Action[];
  /** All namespaces at once. */
  readonly everywhere?: boolean | undefined;
}

/** One entry of `paths`. Parameters that all its operations have stand beside them. */
export function pathItem(of: PublishedKind, place: Place): JsonObject {
  const shared = [
    ...(place.path.includes("{name}") ? [inPath("name")] : []),
    ...(place.path.includes("{namespace}") ? [inPath("namespace")] : []),
    query("pretty"),
  ];
  if (place.everywhere) {
    const parameters = [...listOptions, ...shared].sort((a, b) => (String(a["name"]) < String(b["name"]) ? -1 : 1));
    return { get: operation(of, place, "list", []), parameters };
  }
  const item: Record<string, JsonObject | readonly JsonObject[]> = {};
  for (const action of place.actions) item[methods[action]] = operation(of, place, action, options[action]);
  return { ...item, parameters: shared } as JsonObject;
}

function operation(of: PublishedKind, place: Place, action: Action, parameters: readonly JsonObject[]): JsonObject {
  const { group, version, kind } = of;
  const object = place.subresource === "scale" ? "io.k8s.api.autoscaling.v1.Scale" : modelName(of, kind);
  const answer = action === "list" ? modelName(of, of.listKind) : action.startsWith("delete") ? meta("Status") : object;
  const responses = answers[action].map((code) => [code, { description: answerTexts[code]!, content: content(objectTypes, answer) }]);
  return {
    tags: [`${camel(group)}_${version}`],
    operationId: operationId(of, place, action),
    ...(parameters.length > 0 && { parameters }),
    ...body(action, object),
    responses: { ...Object.fromEntries(responses), 401: { description: "Unauthorized" } },
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": { group, version, kind },
  };
}

function body(action: Action, object: string): JsonObject {
  if (action === "post" || action === "put") return { requestBody: { content: content(objectTypes, object), required: true } };
  if (action === "patch") return { requestBody: { content: content(patchTypes, meta("Patch")), required: true } };
  return action === "delete" ? { requestBody: { content: content(objectTypes, meta("DeleteOptions")) } } : {};
}

function content(types: readonly string[], schema: string): JsonObject {
  return Object.fromEntries(types.map((type) => [type, { schema: reference(schema) }]));
}

function operationId({ group, version, kind }: PublishedKind, place: Place, action: Action): string {
  const collection = action === "deletecollection" ? "Collection" : "";
  const scope = place.everywhere ? "" : place.namespaced ? "Namespaced" : "";
  const part = place.everywhere ? "ForAllNamespaces" : capital(place.subresource);
  return `${operationVerbs[action]}${capital(camel(group))}${capital(version)}${collection}${scope}${kind}${part}`;
}

function camel(group: string): string {
  return group.replace(/[^A-Za-z0-9]+(.)?/g, (_, letter: string | undefined) => letter?.toUpperCase() ?? "");
}

function capital(word: string): string {
  return word === "" ? "" : word[0]!.toUpperCase() + word.slice(1);
}
