import { createHash } from "node:crypto";
import { stringifyJson } from "pintle/internal/json";
import type { JsonObject } from "pintle/kinds";
import type { CrdVersion, CustomResourceDefinition } from "../crd/index.ts";
import { buildPathItem, type OpenApiAction, type OpenApiPath } from "./path-item.ts";
import { buildPublishedListSchema, buildPublishedSchema, getModelName, type PublishedKind } from "./published-schema.ts";

/** Returns a built-in schema by name: "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta". */
export type DefinitionLookup = (name: string) => JsonObject | undefined;

/**
 * Builds the OpenAPI v3 document of a group-version from its CRDs: schemas with their descriptions, and the paths that
 * kubectl needs for `explain` and server-side field validation. Referenced built-in schemas come from `definitions`.
 * The result does not depend on the order of the CRDs.
 */
export function buildCrdOpenApi(
  group: string,
  version: string,
  crds: readonly CustomResourceDefinition[],
  definitions: DefinitionLookup,
): JsonObject {
  const paths: Record<string, JsonObject> = {};
  const schemas: Record<string, JsonObject> = {};
  for (const crd of crds) {
    const served = crd.spec.versions?.find((one) => one.name === version && one.served === true);
    if (served === undefined || crd.spec.group !== group) continue;
    const publishedKind = toPublishedKind(crd, served);
    schemas[getModelName(publishedKind, publishedKind.kind)] = buildPublishedSchema(
      publishedKind,
      served.schema?.openAPIV3Schema ?? { type: "object" },
    );
    schemas[getModelName(publishedKind, publishedKind.listKind)] = buildPublishedListSchema(publishedKind);
    for (const place of listPaths(crd, served)) paths[place.path] = buildPathItem(publishedKind, place);
  }
  addReferencedSchemas({ paths, schemas }, schemas, definitions);
  return {
    openapi: "3.0.0",
    info: { title: "Kubernetes CRD Swagger", version: "v0.1.0" },
    paths: sortKeys(paths),
    components: { schemas: sortKeys(schemas) },
  };
}

/** Returns the content hash of a document, by which clients cache it. */
export function hashDocument(document: JsonObject): string {
  return createHash("sha256").update(stringifyJson(document)).digest("hex").toUpperCase();
}

function toPublishedKind({ spec }: CustomResourceDefinition, { name, selectableFields }: CrdVersion): PublishedKind {
  const { kind = "", listKind = `${kind}List` } = spec.names ?? {};
  return { group: spec.group ?? "", version: name, kind, listKind, selectableFields };
}

const collectionActions: readonly OpenApiAction[] = ["list", "post", "deletecollection"];
const objectActions: readonly OpenApiAction[] = ["get", "put", "delete", "patch"];
const subresourceActions: readonly OpenApiAction[] = ["get", "put", "patch"];

function listPaths({ spec }: CustomResourceDefinition, { name: version, subresources }: CrdVersion): OpenApiPath[] {
  const base = `/apis/${spec.group}/${version}`;
  const plural = spec.names?.plural ?? "";
  const namespaced = spec.scope === "Namespaced";
  const all = `${base}/${namespaced ? "namespaces/{namespace}/" : ""}${plural}`;
  const parts = (["status", "scale"] as const).filter((name) => subresources?.[name] !== undefined);
  return [
    ...(namespaced ? [{ path: `${base}/${plural}`, namespaced, subresource: "", actions: [], allNamespaces: true }] : []),
    { path: all, namespaced, subresource: "", actions: collectionActions },
    { path: `${all}/{name}`, namespaced, subresource: "", actions: objectActions },
    ...parts.map((name) => ({ path: `${all}/{name}/${name}`, namespaced, subresource: name, actions: subresourceActions })),
  ];
}

const referencePattern = /"#\/components\/schemas\/([^"]+)"/g;

function addReferencedSchemas(from: JsonObject, schemas: Record<string, JsonObject>, definitions: DefinitionLookup): void {
  for (const [, name] of stringifyJson(from).matchAll(referencePattern)) {
    const schema = schemas[name!] === undefined ? definitions(name!) : undefined;
    if (schema === undefined) continue;
    schemas[name!] = schema;
    addReferencedSchemas(schema, schemas, definitions);
  }
}

function sortKeys(object: Readonly<Record<string, JsonObject>>): JsonObject {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
}
