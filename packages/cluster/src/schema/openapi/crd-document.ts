import { createHash } from "node:crypto";
import type { JsonObject } from "pintle/kinds";
import type { CrdVersion, CustomResourceDefinition } from "../crd/index.ts";
import { modelName, type PublishedKind, publishedList, publishedSchema } from "./crd-schema.ts";
import { type Action, type Place, pathItem } from "./operations.ts";

/** Finds a built-in schema by name: "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta". */
export type Definitions = (name: string) => JsonObject | undefined;

/**
 * The OpenAPI v3 document of a group-version that CRDs make up: schemas with their descriptions, and the paths without
 * which kubectl neither explains a kind nor lets the server check its fields. The built-in schemas that these refer to
 * come from `definitions`. The same CRDs, in any order, give the same document.
 */
export function crdOpenApi(
  group: string,
  version: string,
  crds: readonly CustomResourceDefinition[],
  definitions: Definitions,
): JsonObject {
  const paths: Record<string, JsonObject> = {};
  const schemas: Record<string, JsonObject> = {};
  for (const crd of crds) {
    const served = crd.spec.versions?.find((one) => one.name === version && one.served === true);
    if (served === undefined || crd.spec.group !== group) continue;
    const of = publishedKind(crd, served);
    schemas[modelName(of, of.kind)] = publishedSchema(of, served.schema?.openAPIV3Schema ?? { type: "object" });
    schemas[modelName(of, of.listKind)] = publishedList(of);
    for (const place of places(crd, served)) paths[place.path] = pathItem(of, place);
  }
  addReferred({ paths, schemas }, schemas, definitions);
  return {
    openapi: "3.0.0",
    info: { title: "Kubernetes CRD Swagger", version: "v0.1.0" },
    paths: sorted(paths),
    components: { schemas: sorted(schemas) },
  };
}

/** Changes with a document and stays with it: the part of its address by which clients cache it. */
export function documentHash(document: JsonObject): string {
  return createHash("sha256").update(JSON.stringify(document)).digest("hex").toUpperCase();
}

function publishedKind({ spec }: CustomResourceDefinition, { name, selectableFields }: CrdVersion): PublishedKind {
  const { kind = "", listKind = `${kind}List` } = spec.names ?? {};
  return { group: spec.group ?? "", version: name, kind, listKind, selectableFields };
}

const collection: readonly Action[] = ["list", "post", "deletecollection"];
const object: readonly Action[] = ["get", "put", "delete", "patch"];
const part: readonly Action[] = ["get", "put", "patch"];

function places({ spec }: CustomResourceDefinition, { name: version, subresources }: CrdVersion): Place[] {
  const base = `/apis/${spec.group}/${version}`;
  const plural = spec.names?.plural ?? "";
  const namespaced = spec.scope === "Namespaced";
  const all = `${base}/${namespaced ? "namespaces/{namespace}/" : ""}${plural}`;
  const parts = (["status", "scale"] as const).filter((name) => subresources?.[name] !== undefined);
  return [
    ...(namespaced ? [{ path: `${base}/${plural}`, namespaced, subresource: "", actions: [], everywhere: true }] : []),
    { path: all, namespaced, subresource: "", actions: collection },
    { path: `${all}/{name}`, namespaced, subresource: "", actions: object },
    ...parts.map((name) => ({ path: `${all}/{name}/${name}`, namespaced, subresource: name, actions: part })),
  ];
}

const referred = /"#\/components\/schemas\/([^"]+)"/g;

function addReferred(from: JsonObject, schemas: Record<string, JsonObject>, definitions: Definitions): void {
  for (const [, name] of JSON.stringify(from).matchAll(referred)) {
    const schema = schemas[name!] === undefined ? definitions(name!) : undefined;
    if (schema === undefined) continue;
    schemas[name!] = schema;
    addReferred(schema, schemas, definitions);
  }
}

function sorted(object: Readonly<Record<string, JsonObject>>): JsonObject {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
}
