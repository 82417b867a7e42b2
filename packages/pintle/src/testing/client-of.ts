import { matcher } from "../cache/index.ts";
import type { Client } from "../client/index.ts";
import type { JsonObject, KindFacts } from "../kinds/index.ts";
import { mergePatch } from "./merge-patch.ts";
import type { Kept, Objects, Ref } from "./objects.ts";

interface Selection {
  readonly namespace?: string | undefined;
  readonly labels?: string | Readonly<Record<string, string>> | undefined;
}
interface Managed {
  readonly fieldManager?: string | undefined;
  readonly uid?: string | undefined;
}
const MISSING = [
  "pages",
  "watch",
  "wait",
  "waitGone",
  "deleteCollection",
  "evict",
  "bind",
  "token",
  "logs",
  "exec",
  "portForward",
  "kind",
  "kinds",
  "request",
  "subresource",
];

/** The verbs that make sense without a server; the others say where to find one. */
export function clientOf(objects: Objects): Client {
  const merged = (live: Kept, change: { readonly merge?: unknown }) => {
    if (change.merge === undefined) throw new Error("simulate() knows merge patches only: use @pintle/cluster for the others");
    return mergePatch(live, change.merge) as JsonObject;
  };
  const missing = Object.fromEntries(
    MISSING.map((verb) => [
      verb,
      () => {
        throw new Error(`simulate() has no server, so there is no ${verb}(): use @pintle/cluster for that`);
      },
    ]),
  );
  const verbs = {
    ...missing,
    namespace: "default",
    get: async (kind: KindFacts, ref: Ref) => objects.must(kind, ref),
    find: async (kind: KindFacts, ref: Ref) => objects.find(kind, ref),
    async list(kind: KindFacts, { namespace, labels }: Selection = {}) {
      const wanted = matcher(labels ?? {});
      const isWanted = ({ metadata }: Kept) =>
        (namespace === undefined || metadata.namespace === namespace) && wanted.matches(metadata.labels);
      return { metadata: { resourceVersion: objects.revision }, items: objects.list(kind).filter(isWanted) };
    },
    create: async (kind: KindFacts, object: JsonObject) => objects.create(kind, object),
    replace: async (kind: KindFacts, object: JsonObject) => objects.replace(kind, object),
    patch: async (kind: KindFacts, ref: Ref, change: object) => objects.store(kind, merged(objects.must(kind, ref), change)),
    apply: async (kind: KindFacts, object: JsonObject, options: Managed = {}) => objects.apply(kind, object, options.fieldManager ?? ""),
    delete: async (kind: KindFacts, ref: Ref, options: Managed = {}) => objects.erase(kind, ref, options.uid),
    status: {
      get: async (kind: KindFacts, ref: Ref) => objects.must(kind, ref),
      replace: async (kind: KindFacts, object: JsonObject) => objects.replace(kind, object, "status"),
      async patch(kind: KindFacts, ref: Ref, change: object) {
        const live = objects.must(kind, ref);
        return objects.store(kind, { ...(live as JsonObject), status: merged(live, change)["status"] });
      },
      apply: async (kind: KindFacts, object: JsonObject, options: Managed = {}) =>
        objects.apply(kind, object, options.fieldManager ?? "", "status"),
    },
    scale: {},
    close: async () => {},
  };
  return verbs as unknown as Client;
}
