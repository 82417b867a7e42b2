import { frozen, type Stored } from "../cache/index.ts";
import { AlreadyExists, Conflict, type Failure, NotFound } from "../client/index.ts";
import type { JsonObject, KindFacts } from "../kinds/index.ts";
import { canonical } from "../merge/index.ts";
import type { Clock } from "../queue/index.ts";
import { applied, type Owners } from "./applied.ts";
import { defaults } from "./defaults.ts";

export interface Ref {
  readonly name: string;
  readonly namespace?: string | undefined;
}
export type Kept = Stored & JsonObject;

export const keyOf = ({ namespace, name }: Ref) => `${namespace ?? ""}/${name}`;

/** Objects in memory with the manners of a server: uids, versions, generations, defaults of our own resources, finalizers, apply. */
export function objects(clock: Clock) {
  const shelves = new Map<string, Map<string, { readonly object: Kept; readonly owners: Owners }>>();
  let revision = 0;

  const shelf = (kind: KindFacts) => {
    const known = shelves.get(kind.id) ?? new Map();
    shelves.set(kind.id, known);
    return known as NonNullable<ReturnType<typeof shelves.get>>;
  };
  const find = (kind: KindFacts, ref: Ref) => shelf(kind).get(keyOf(ref))?.object;
  const must = (kind: KindFacts, ref: Ref): Kept => {
    const found = find(kind, ref);
    if (found !== undefined) return found;
    const status = { details: { name: ref.name, kind: kind.plural } } as NonNullable<Failure["status"]>;
    throw new NotFound({ ...failure(kind, ref, "not found", 404), status });
  };
  const mustBe = (kind: KindFacts, ref: Ref, live: Kept | undefined, uid: string | undefined) => {
    if (uid !== undefined && live?.metadata.uid !== uid) throw new Conflict(failure(kind, ref, "another object has its name", 409));
  };
  const now = () => new Date(clock.now()).toISOString().replace(/\.\d+Z$/, "Z");

  /** Keeps it; gives the very object that is there when nothing changes. */
  const store = (kind: KindFacts, given: JsonObject, owners?: Owners): Kept => {
    const ref = given["metadata"] as unknown as Ref;
    const before = shelf(kind).get(keyOf(ref));
    const old = before?.object;
    const filled = defaulted(kind, given);
    const respecified = old === undefined || canonical(old["spec"] ?? null) !== canonical(filled["spec"] ?? null);
    const metadata = {
      ...(filled["metadata"] as JsonObject),
      uid: old?.metadata.uid ?? `00000000-0000-4000-8000-${String(++revision).padStart(12, "0")}`,
      creationTimestamp: old?.metadata.creationTimestamp ?? now(),
      generation: (old?.metadata.generation ?? 0) + (respecified ? 1 : 0),
      resourceVersion: old?.metadata.resourceVersion ?? "0",
    };
    const next = { ...filled, apiVersion: kind.apiVersion, kind: kind.kind, metadata } as unknown as Kept;
    const kept = owners ?? before?.owners ?? new Map();
    if (old !== undefined && canonical(old) === canonical(next)) {
      shelf(kind).set(keyOf(ref), { object: old, owners: kept });
      return old;
    }
    const object = frozen({ ...next, metadata: { ...metadata, resourceVersion: String(++revision) } }) as unknown as Kept;
    const over = object.metadata.deletionTimestamp !== undefined && (object.metadata.finalizers ?? []).length === 0;
    if (over) shelf(kind).delete(keyOf(ref));
    else shelf(kind).set(keyOf(ref), { object, owners: kept });
    return object;
  };

  return {
    find,
    must,
    store,
    list: (kind: KindFacts): readonly Kept[] => [...shelf(kind).values()].map(({ object }) => object),
    get revision() {
      return String(revision);
    },
    create(kind: KindFacts, object: JsonObject): Kept {
      const metadata = object["metadata"] as JsonObject & Ref & { readonly generateName?: string };
      const ref = { ...metadata, name: metadata.name ?? `${metadata.generateName}${String(++revision).padStart(5, "0")}` };
      if (find(kind, ref) !== undefined) throw new AlreadyExists(failure(kind, ref, "already exists", 409));
      return store(kind, { ...object, metadata: ref });
    },
    replace(kind: KindFacts, object: JsonObject, part?: "status"): Kept {
      const { resourceVersion, ...ref } = object["metadata"] as unknown as Ref & { readonly resourceVersion?: string };
      const live = must(kind, ref);
      if (resourceVersion !== undefined && resourceVersion !== live.metadata.resourceVersion)
        throw new Conflict(failure(kind, ref, "the object has been modified", 409));
      if (part === "status") return store(kind, { ...(live as JsonObject), status: object["status"] });
      return store(kind, { ...object, ...(live["status"] === undefined ? {} : { status: live["status"] }) });
    },
    apply(kind: KindFacts, body: JsonObject, manager: string, part?: "status"): Kept {
      const { uid, resourceVersion: _, ...metadata } = body["metadata"] as JsonObject & Ref & { readonly uid?: string };
      const live = part === undefined ? find(kind, metadata) : must(kind, metadata);
      mustBe(kind, metadata, live, uid);
      const said = part === undefined ? { ...body, metadata } : { status: body["status"] };
      const start: JsonObject = live ?? { metadata: { name: metadata.name, namespace: metadata.namespace } };
      const owners = shelf(kind).get(keyOf(metadata))?.owners ?? new Map();
      const result = applied(kind, start, owners, `${manager} ${part ?? ""}`, said);
      return store(kind, result.object, result.owners);
    },
    /** Gives the object that stays because of its finalizers, if it does. */
    erase(kind: KindFacts, ref: Ref, uid?: string): Kept | undefined {
      const live = must(kind, ref);
      mustBe(kind, ref, live, uid);
      if ((live.metadata.finalizers ?? []).length > 0) {
        const metadata = { deletionTimestamp: now(), ...live.metadata } as unknown as JsonObject;
        return store(kind, { ...live, metadata });
      }
      shelf(kind).delete(keyOf(ref));
      return undefined;
    },
  };
}
export type Objects = ReturnType<typeof objects>;

function failure(kind: KindFacts, ref: Ref, text: string, code: number): Failure {
  return { message: `${kind.kind} ${keyOf(ref)}: ${text}`, request: "simulated", code };
}

function defaulted(kind: KindFacts, object: JsonObject): JsonObject {
  // Our own resources carry their schema; what a server adds to its own kinds, beyond an empty status, is not known here.
  const resource = kind as { crd?(): { spec: { versions: readonly { name: string; schema: { openAPIV3Schema: unknown } }[] } } };
  const schema = resource.crd?.().spec.versions.find(({ name }) => name === kind.version)?.schema.openAPIV3Schema;
  if (schema !== undefined) return defaults(schema as JsonObject, object) as JsonObject;
  return BUILT_IN.test(kind.group) && kind.subresources.includes("status") ? { status: {}, ...object } : object;
}

/** Groups whose objects a server never shows without a status, as the types of these kinds say. */
const BUILT_IN = /^[a-z]*$|\.k8s\.io$/;
