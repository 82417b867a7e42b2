import type { JsonObject } from "pintle/kinds";
import { ApiError } from "../../status/index.ts";
import { formatGoType } from "../decode/type-meta.ts";
import { formatApiVersion, type ServedResource } from "../registry/served-resource.ts";
import { type MediaTypeOptions, notAcceptableError, PROTOBUF_TYPE } from "./negotiate.ts";
import { toPartialObjectMetadata } from "./partial-metadata.ts";
import { buildTable, type IncludeObject } from "./table.ts";

/** How the responses of one request are encoded. */
export interface ResponseFormat {
  readonly resource: ServedResource;
  readonly mediaTypeOptions: MediaTypeOptions;
  readonly includeObject: IncludeObject;
  readonly now: number;
}

export interface ListMeta {
  /** Absent for kinds that are not stored. */
  readonly resourceVersion?: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
  /** Set if the list is only a part of the collection. */
  readonly shardInfo?: { readonly selector: string };
}

/** Transforms one object into the requested form. A Status is never transformed. */
export function transformObject(
  { resource, mediaTypeOptions: { convertTo }, includeObject, now }: ResponseFormat,
  object: JsonObject,
): JsonObject {
  if (convertTo === undefined || object["kind"] === "Status") return object;
  if (convertTo.kind === "PartialObjectMetadata") return toPartialObjectMetadata(object, convertTo.version);
  if (convertTo.kind === "Table") {
    const { resourceVersion } = object["metadata"] as { resourceVersion?: string };
    return buildTable(resource, [object], { resourceVersion }, { version: convertTo.version, includeObject, includeColumns: true, now });
  }
  if (!resource.typed) throw new ApiError(500, "", "content is not a list");
  throw notAcceptableError(`you requested PartialObjectMetadataList, but the requested object is not a list (*${formatGoType(resource)})`);
}

export function transformList(
  { resource, mediaTypeOptions: { convertTo, mediaType }, includeObject, now }: ResponseFormat,
  objects: readonly JsonObject[],
  metadata: ListMeta,
): JsonObject {
  const meta = { ...metadata };
  if (convertTo === undefined) {
    const { listKind: kind } = resource;
    const apiVersion = formatApiVersion(resource);
    // Items in protobuf have no kind: the message type implies it.
    if (mediaType === PROTOBUF_TYPE) return { kind, apiVersion, metadata: meta, items: objects };
    if (resource.typed) return { kind, apiVersion, metadata: meta, items: objects.map(omitTypeMeta) };
    // Lists of custom resources always have `continue`.
    return { kind, apiVersion, metadata: { continue: "", ...meta }, items: objects };
  }
  if (convertTo.kind === "Table")
    return buildTable(resource, objects, meta, { version: convertTo.version, includeObject, includeColumns: true, now });
  if (convertTo.kind === "PartialObjectMetadataList") {
    const items = objects.map((object) => toPartialObjectMetadata(object, convertTo.version));
    return { kind: "PartialObjectMetadataList", apiVersion: `meta.k8s.io/${convertTo.version}`, metadata: meta, items };
  }
  const type = resource.typed ? `${formatGoType(resource)}List` : "unstructured.UnstructuredList";
  throw notAcceptableError(`you requested PartialObjectMetadata, but the requested object is a list (*${type})`);
}

function omitTypeMeta({ kind: _kind, apiVersion: _apiVersion, ...rest }: JsonObject): JsonObject {
  return rest;
}
