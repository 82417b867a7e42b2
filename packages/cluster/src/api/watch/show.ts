import type { JsonObject } from "pintle/kinds";
import { withMetadata } from "../metadata/metadata.ts";
import { presentObject, type View } from "../present/present.ts";
import { table } from "../present/table.ts";
import type { MediaType } from "../request.ts";
import { apiVersionOf } from "../resource.ts";

export const INITIAL_EVENTS_END = "k8s.io/initial-events-end";

/** How one watcher shows objects. */
export interface Show {
  /** Same key, same look. Asking counts as showing: a table says its columns only the first time. */
  key(): string;
  readonly mediaType: MediaType;
  /** Objects are shown as they are. */
  readonly plain: boolean;
  object(object: JsonObject): JsonObject;
  bookmark(revision: number, initialEnd: boolean): JsonObject;
}

/** `now` is asked for each object: ages are those of its event. */
export function show(view: View, now: () => number): Show {
  const { resource, presentation, include } = view;
  const { as, mediaType } = presentation;
  const base = `${apiVersionOf(resource)} ${resource.plural} ${mediaType} ${as?.kind ?? ""} ${as?.version ?? ""} ${include}`;
  if (as?.kind !== "Table") {
    return {
      key: () => base,
      mediaType,
      plain: as === undefined,
      object: (object) => presentObject(view, object),
      bookmark: (revision, initialEnd) => presentObject(view, bookmark(view, revision, initialEnd)),
    };
  }
  let headers = true;
  let current = true;
  return {
    mediaType,
    plain: false,
    key() {
      current = headers;
      headers = false;
      return `${base} ${current}`;
    },
    object(object) {
      const { resourceVersion } = object["metadata"] as { resourceVersion?: string };
      return table(resource, [object], { resourceVersion }, { version: as.version, include, headers: current, now: now() });
    },
    bookmark(revision, initialEnd) {
      this.key();
      return this.object(bookmark(view, revision, initialEnd));
    },
  };
}

function bookmark({ resource }: View, revision: number, initialEnd: boolean): JsonObject {
  const object = { kind: resource.kind, apiVersion: apiVersionOf(resource), metadata: { resourceVersion: String(revision) } };
  return initialEnd ? withMetadata(object, { annotations: { [INITIAL_EVENTS_END]: "true" } }) : object;
}
