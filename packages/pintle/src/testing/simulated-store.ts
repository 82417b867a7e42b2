import { deepFreeze, type StoredObject } from "../cache/index.ts";
import { AlreadyExists, Conflict, NotFound, type RequestErrorInit } from "../client/index.ts";
import type { Clock } from "../clock/index.ts";
import type { NamespacedName } from "../controller/index.ts";
import { isJsonObject, type Json, type JsonObject } from "../json/index.ts";
import { type KindInfo, UNTYPED_SHAPE } from "../kinds/index.ts";
import {
  canonicalJson,
  difference,
  EMPTY_FIELD_SET,
  type FieldSet,
  mergeObjects,
  OBJECT_META_SHAPE,
  removeItems,
  toFieldSet,
} from "../merge/index.ts";
import { applySchemaDefaults } from "./defaults.ts";

export type SimulatedObject = StoredObject & JsonObject;

export const toKey = ({ namespace, name }: NamespacedName) => `${namespace ?? ""}/${name}`;

/** Creates an in-memory store that behaves like an API server: uids, resource versions, generations, CRD defaults, finalizers, server-side apply. */
export function createSimulatedStore(clock: Clock) {
  const collections = new Map<string, Map<string, { readonly object: SimulatedObject; readonly owners: FieldOwners }>>();
  let revision = 0;

  const collectionOf = (kind: KindInfo) => {
    const known = collections.get(kind.id) ?? new Map();
    collections.set(kind.id, known);
    return known as NonNullable<ReturnType<typeof collections.get>>;
  };
  const find = (kind: KindInfo, ref: NamespacedName) => collectionOf(kind).get(toKey(ref))?.object;
  const getOrThrow = (kind: KindInfo, ref: NamespacedName): SimulatedObject => {
    const found = find(kind, ref);
    if (found !== undefined) return found;
    const status = { details: { name: ref.name, kind: kind.plural } } as NonNullable<RequestErrorInit["status"]>;
    throw new NotFound({ ...buildFailure(kind, ref, "not found", 404), status });
  };
  const assertUid = (kind: KindInfo, ref: NamespacedName, live: SimulatedObject | undefined, uid: string | undefined) => {
    if (uid !== undefined && live?.metadata.uid !== uid) throw new Conflict(buildFailure(kind, ref, "another object has its name", 409));
  };
  const formatNow = () => new Date(clock.now()).toISOString().replace(/\.\d+Z$/, "Z");

  /** Stores an object. Returns the stored object itself if nothing changes. */
  const store = (kind: KindInfo, body: JsonObject, owners?: FieldOwners): SimulatedObject => {
    const ref = body["metadata"] as unknown as NamespacedName;
    const before = collectionOf(kind).get(toKey(ref));
    const old = before?.object;
    const filled = withDefaults(kind, body);
    const respecified = old === undefined || canonicalJson(old["spec"] ?? null) !== canonicalJson(filled["spec"] ?? null);
    const metadata = {
      ...(filled["metadata"] as JsonObject),
      uid: old?.metadata.uid ?? `00000000-0000-4000-8000-${String(++revision).padStart(12, "0")}`,
      creationTimestamp: old?.metadata.creationTimestamp ?? formatNow(),
      generation: (old?.metadata.generation ?? 0) + (respecified ? 1 : 0),
      resourceVersion: old?.metadata.resourceVersion ?? "0",
    };
    const next = { ...filled, apiVersion: kind.apiVersion, kind: kind.kind, metadata } as unknown as SimulatedObject;
    const fieldOwners = owners ?? before?.owners ?? new Map();
    if (old !== undefined && canonicalJson(old) === canonicalJson(next)) {
      collectionOf(kind).set(toKey(ref), { object: old, owners: fieldOwners });
      return old;
    }
    const object = deepFreeze({ ...next, metadata: { ...metadata, resourceVersion: String(++revision) } }) as unknown as SimulatedObject;
    const over = object.metadata.deletionTimestamp !== undefined && (object.metadata.finalizers ?? []).length === 0;
    if (over) collectionOf(kind).delete(toKey(ref));
    else collectionOf(kind).set(toKey(ref), { object, owners: fieldOwners });
    return object;
  };

  return {
    find,
    must: getOrThrow,
    store,
    list: (kind: KindInfo): readonly SimulatedObject[] => [...collectionOf(kind).values()].map(({ object }) => object),
    get revision() {
      return String(revision);
    },
    create(kind: KindInfo, object: JsonObject): SimulatedObject {
      const metadata = object["metadata"] as JsonObject & NamespacedName & { readonly generateName?: string };
      const ref = { ...metadata, name: metadata.name ?? `${metadata.generateName}${String(++revision).padStart(5, "0")}` };
      if (find(kind, ref) !== undefined) throw new AlreadyExists(buildFailure(kind, ref, "already exists", 409));
      return store(kind, { ...object, metadata: ref });
    },
    replace(kind: KindInfo, object: JsonObject, part?: "status"): SimulatedObject {
      const { resourceVersion, ...ref } = object["metadata"] as unknown as NamespacedName & { readonly resourceVersion?: string };
      const live = getOrThrow(kind, ref);
      if (resourceVersion !== undefined && resourceVersion !== live.metadata.resourceVersion)
        throw new Conflict(buildFailure(kind, ref, "the object has been modified", 409));
      if (part === "status") return store(kind, { ...(live as JsonObject), status: object["status"] });
      return store(kind, { ...object, ...(live["status"] === undefined ? {} : { status: live["status"] }) });
    },
    apply(kind: KindInfo, body: JsonObject, manager: string, part?: "status"): SimulatedObject {
      const { uid, resourceVersion: _, ...metadata } = body["metadata"] as JsonObject & NamespacedName & { readonly uid?: string };
      const live = part === undefined ? find(kind, metadata) : getOrThrow(kind, metadata);
      assertUid(kind, metadata, live, uid);
      const applied = part === undefined ? { ...body, metadata } : { status: body["status"] };
      const start: JsonObject = live ?? { metadata: { name: metadata.name, namespace: metadata.namespace } };
      const owners = collectionOf(kind).get(toKey(metadata))?.owners ?? new Map();
      const result = serverSideApply(kind, start, owners, `${manager} ${part ?? ""}`, applied);
      return store(kind, result.object, result.owners);
    },
    /** Deletes an object. Returns it if its finalizers retain it. */
    delete(kind: KindInfo, ref: NamespacedName, uid?: string): SimulatedObject | undefined {
      const live = getOrThrow(kind, ref);
      assertUid(kind, ref, live, uid);
      if ((live.metadata.finalizers ?? []).length > 0) {
        const metadata = { deletionTimestamp: formatNow(), ...live.metadata } as unknown as JsonObject;
        return store(kind, { ...live, metadata });
      }
      collectionOf(kind).delete(toKey(ref));
      return undefined;
    },
  };
}
export type SimulatedStore = ReturnType<typeof createSimulatedStore>;

function buildFailure(kind: KindInfo, ref: NamespacedName, text: string, statusCode: number): RequestErrorInit {
  return { message: `${kind.kind} ${toKey(ref)}: ${text}`, request: "simulated", statusCode };
}

function withDefaults(kind: KindInfo, object: JsonObject): JsonObject {
  // Resources of `defineResource` have a schema; the server defaults of built-in kinds, beyond an empty status, are not simulated.
  const resource = kind as { crd?(): { spec: { versions: readonly { name: string; schema: { openAPIV3Schema: unknown } }[] } } };
  const schema = resource.crd?.().spec.versions.find(({ name }) => name === kind.version)?.schema.openAPIV3Schema;
  if (schema !== undefined) return applySchemaDefaults(schema as JsonObject, object) as JsonObject;
  return BUILT_IN.test(kind.group) && kind.subresources.includes("status") ? { status: {}, ...object } : object;
}

/** Groups of built-in kinds, whose objects always have a status. */
const BUILT_IN = /^[a-z]*$|\.k8s\.io$/;

/** The owned fields of each field manager. */
type FieldOwners = ReadonlyMap<string, FieldSet>;

/** Server-side apply with force: fields that the manager applied before and leaves out now are removed, unless another manager owns them. */
function serverSideApply(kind: KindInfo, live: JsonObject, owners: FieldOwners, manager: string, body: JsonObject) {
  const shape = kind.shape ?? { ...UNTYPED_SHAPE, fields: { metadata: OBJECT_META_SHAPE } };
  const now = toFieldSet(body, shape);
  let removed = difference(owners.get(manager) ?? EMPTY_FIELD_SET, now);
  for (const [other, theirs] of owners) if (other !== manager) removed = difference(removed, theirs);
  const merged = mergeObjects(live, body, shape);
  const object = removeEmptied(merged, removeItems(merged, removed, shape));
  return { object, owners: new Map([...owners, [manager, now]]) as FieldOwners };
}

/** Removes fields that lost their last item. A null that was there before is a value. */
function removeEmptied(before: JsonObject, after: JsonObject): JsonObject {
  const out: Record<string, Json | undefined> = {};
  for (const [key, value] of Object.entries(after)) {
    const was = before[key];
    if (value === null && was !== null) continue;
    out[key] = isJsonObject(value) && isJsonObject(was) ? removeEmptied(was, value) : value;
  }
  return out;
}
