import type { JsonObject } from "pintle/kinds";
import { ApiError } from "../../status/index.ts";
import { apiVersionOf, type ServedResource } from "../resource.ts";
import { goType } from "../type-meta.ts";
import { notAcceptable, PROTOBUF_TYPE, type Presentation } from "./negotiate.ts";
import { partialMetadata } from "./partial.ts";
import { type IncludeObject, table } from "./table.ts";

/** How the answers of one request look. */
export interface View {
  readonly resource: ServedResource;
  readonly presentation: Presentation;
  readonly include: IncludeObject;
  readonly now: number;
}

export interface ListMeta {
  /** Absent where nothing is stored. */
  readonly resourceVersion?: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

/** One object. A Status stays one, however it was asked for. */
export function presentObject({ resource, presentation: { as }, include, now }: View, object: JsonObject): JsonObject {
  if (as === undefined || object["kind"] === "Status") return object;
  if (as.kind === "PartialObjectMetadata") return partialMetadata(object, as.version);
  if (as.kind === "Table") {
    const { resourceVersion } = object["metadata"] as { resourceVersion?: string };
    return table(resource, [object], { resourceVersion }, { version: as.version, include, headers: true, now });
  }
  if (!resource.typed) throw new ApiError(500, "", "content is not a list");
  throw notAcceptable(`you requested PartialObjectMetadataList, but the requested object is not a list (*${goType(resource)})`);
}

export function presentList(
  { resource, presentation: { as, mediaType }, include, now }: View,
  objects: readonly JsonObject[],
  metadata: ListMeta,
): JsonObject {
  const meta = { ...metadata };
  if (as === undefined) {
    const { listKind: kind } = resource;
    const apiVersion = apiVersionOf(resource);
    // Protobuf has no place for the kinds of items, and knows them by what they are.
    if (mediaType === PROTOBUF_TYPE) return { kind, apiVersion, metadata: meta, items: objects };
    if (resource.typed) return { kind, apiVersion, metadata: meta, items: objects.map(bare) };
    // Lists of custom resources always say whether there is more.
    return { kind, apiVersion, metadata: { continue: "", ...meta }, items: objects };
  }
  if (as.kind === "Table") return table(resource, objects, meta, { version: as.version, include, headers: true, now });
  if (as.kind === "PartialObjectMetadataList") {
    const items = objects.map((object) => partialMetadata(object, as.version));
    return { kind: "PartialObjectMetadataList", apiVersion: `meta.k8s.io/${as.version}`, metadata: meta, items };
  }
  const type = resource.typed ? `${goType(resource)}List` : "unstructured.UnstructuredList";
  throw notAcceptable(`you requested PartialObjectMetadata, but the requested object is a list (*${type})`);
}

function bare({ kind: _kind, apiVersion: _apiVersion, ...rest }: JsonObject): JsonObject {
  return rest;
}
