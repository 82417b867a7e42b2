import type { JsonObject } from "pintle/kinds";
import { buildTable } from "../encoding/table.ts";
import { type ResponseFormat, transformObject } from "../encoding/transform.ts";
import { withMetadata } from "../metadata/object-meta.ts";
import { formatApiVersion } from "../registry/served-resource.ts";
import type { MediaType } from "../request/api-request.ts";

export const INITIAL_EVENTS_END = "k8s.io/initial-events-end";

/** How one watch encodes objects. */
export interface WatchFormat {
  /** Returns the cache key of the next event: equal keys mean equal encodings. A table has its columns in the first event only. */
  nextCacheKey(): string;
  readonly mediaType: MediaType;
  /** Whether objects are sent without a transformation. */
  readonly isUntransformed: boolean;
  transformObject(object: JsonObject): JsonObject;
  buildBookmark(revision: number, initialEnd: boolean): JsonObject;
}

/** Creates the format of a watch. `now` is called for each event, for the ages in tables. */
export function createWatchFormat(view: ResponseFormat, now: () => number): WatchFormat {
  const { resource, mediaTypeOptions, includeObject } = view;
  const { convertTo, mediaType } = mediaTypeOptions;
  const base = `${formatApiVersion(resource)} ${resource.plural} ${mediaType} ${convertTo?.kind ?? ""} ${convertTo?.version ?? ""} ${includeObject}`;
  if (convertTo?.kind !== "Table") {
    return {
      nextCacheKey: () => base,
      mediaType,
      isUntransformed: convertTo === undefined,
      transformObject: (object) => transformObject(view, object),
      buildBookmark: (revision, initialEnd) => transformObject(view, buildBookmarkObject(view, revision, initialEnd)),
    };
  }
  let headers = true;
  let current = true;
  return {
    mediaType,
    isUntransformed: false,
    nextCacheKey() {
      current = headers;
      headers = false;
      return `${base} ${current}`;
    },
    transformObject(object) {
      const { resourceVersion } = object["metadata"] as { resourceVersion?: string };
      return buildTable(
        resource,
        [object],
        { resourceVersion },
        { version: convertTo.version, includeObject, includeColumns: current, now: now() },
      );
    },
    buildBookmark(revision, initialEnd) {
      this.nextCacheKey();
      return this.transformObject(buildBookmarkObject(view, revision, initialEnd));
    },
  };
}

function buildBookmarkObject({ resource }: ResponseFormat, revision: number, initialEnd: boolean): JsonObject {
  const object = { kind: resource.kind, apiVersion: formatApiVersion(resource), metadata: { resourceVersion: String(revision) } };
  return initialEnd ? withMetadata(object, { annotations: { [INITIAL_EVENTS_END]: "true" } }) : object;
}
