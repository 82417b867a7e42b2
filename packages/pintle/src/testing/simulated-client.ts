import type { Client } from "../client/index.ts";
import type { NamespacedName } from "../controller/index.ts";
import { PintleError } from "../errors/index.ts";
import type { JsonObject, KindInfo } from "../kinds/index.ts";
import { createLabelMatcher } from "../selectors/index.ts";
import { applyMergePatch } from "./merge-patch.ts";
import type { SimulatedObject, SimulatedStore } from "./simulated-store.ts";

interface SimulatedSelection {
  readonly namespace?: string | undefined;
  readonly labels?: string | Readonly<Record<string, string>> | undefined;
}
interface SimulatedWriteOptions {
  readonly fieldManager?: string | undefined;
  readonly uid?: string | undefined;
}
const UNSUPPORTED_VERBS = [
  "listPages",
  "watch",
  "waitFor",
  "waitForDeletion",
  "deleteCollection",
  "evict",
  "bind",
  "createToken",
  "logs",
  "exec",
  "portForward",
  "discoverKind",
  "discoverKinds",
  "request",
  "subresource",
];

/** Creates a client on a simulated store. Verbs that need a server throw. */
export function createSimulatedClient(objects: SimulatedStore): Client {
  const mergeChange = (live: SimulatedObject, change: { readonly merge?: unknown }) => {
    if (change.merge === undefined)
      throw new PintleError("PINTLE3201", "simulate() supports merge patches only: use @pintle/cluster for the others");
    return applyMergePatch(live, change.merge) as JsonObject;
  };
  const unsupported = Object.fromEntries(
    UNSUPPORTED_VERBS.map((verb) => [
      verb,
      () => {
        throw new PintleError("PINTLE3202", `simulate() has no server, so ${verb}() is not supported: use @pintle/cluster`);
      },
    ]),
  );
  const verbs = {
    ...unsupported,
    namespace: "default",
    get: async (kind: KindInfo, ref: NamespacedName) => objects.must(kind, ref),
    find: async (kind: KindInfo, ref: NamespacedName) => objects.find(kind, ref),
    async list(kind: KindInfo, { namespace, labels }: SimulatedSelection = {}) {
      const matcher = createLabelMatcher(labels ?? {});
      const isSelected = ({ metadata }: SimulatedObject) =>
        (namespace === undefined || metadata.namespace === namespace) && matcher.matches(metadata.labels);
      return { metadata: { resourceVersion: objects.revision }, items: objects.list(kind).filter(isSelected) };
    },
    create: async (kind: KindInfo, object: JsonObject) => objects.create(kind, object),
    replace: async (kind: KindInfo, object: JsonObject) => objects.replace(kind, object),
    patch: async (kind: KindInfo, ref: NamespacedName, change: object) => objects.store(kind, mergeChange(objects.must(kind, ref), change)),
    apply: async (kind: KindInfo, object: JsonObject, options: SimulatedWriteOptions = {}) =>
      objects.apply(kind, object, options.fieldManager ?? ""),
    delete: async (kind: KindInfo, ref: NamespacedName, options: SimulatedWriteOptions = {}) => objects.delete(kind, ref, options.uid),
    status: {
      get: async (kind: KindInfo, ref: NamespacedName) => objects.must(kind, ref),
      replace: async (kind: KindInfo, object: JsonObject) => objects.replace(kind, object, "status"),
      async patch(kind: KindInfo, ref: NamespacedName, change: object) {
        const live = objects.must(kind, ref);
        return objects.store(kind, { ...(live as JsonObject), status: mergeChange(live, change)["status"] });
      },
      apply: async (kind: KindInfo, object: JsonObject, options: SimulatedWriteOptions = {}) =>
        objects.apply(kind, object, options.fieldManager ?? "", "status"),
    },
    scale: {},
    close: async () => {},
  };
  return verbs as unknown as Client;
}
