import type { JsonObject } from "pintle/kinds";
import { type AdmissionPlugin, type AdmissionRequest, metadataOf } from "../../api/index.ts";
import { type ApiError, forbidden } from "../../status/index.ts";
import type { Store } from "../../store/index.ts";
import { type Draft, draftOf, type Loose, objectOf } from "../draft.ts";
import { storagePrefix } from "../facts.ts";

/** What a plugin does with objects of one resource; parts of them are none of its business. */
interface Rule<T> {
  readonly group: string;
  readonly plural: string;
  readonly on: readonly AdmissionRequest["operation"][];
  change?(draft: Draft<T>, request: AdmissionRequest): Promise<void> | void;
  check?(object: Loose<T>, request: AdmissionRequest): Promise<void> | void;
}

/** What a plugin made of an object is handed to the next one and to nobody else: that one may go on with it. */
const drafts = new WeakSet<object>();

/** A plugin that is about one resource. */
export function pluginFor<T>(name: string, { group, plural, on, change, check }: Rule<T>): AdmissionPlugin {
  const concerns = ({ operation, resource, subresource, object }: AdmissionRequest) =>
    resource.plural === plural && resource.group === group && subresource === "" && on.includes(operation) && object !== undefined;
  const changed = async (request: AdmissionRequest, apply: NonNullable<typeof change>) => {
    const given = request.object!;
    // In a second round, somebody remembers what it was after the first.
    const draft = drafts.has(given) && !request.reinvocation.again ? (given as Draft<T>) : draftOf<T>(given);
    await apply(draft, request);
    const object = objectOf(draft);
    drafts.add(object);
    return object;
  };
  return {
    name,
    admit: (request) => (change === undefined || !concerns(request) ? undefined : changed(request, change)),
    validate: (request) =>
      check === undefined || !concerns(request) ? undefined : Promise.resolve(check(request.object as Loose<T>, request)),
  };
}

/** The refusal of a request, in the words of admission. */
export function refusal({ resource, name, object }: AdmissionRequest, why: string): ApiError {
  const { name: given, generateName } = object === undefined ? {} : metadataOf(object);
  return forbidden({ group: resource.group, resource: resource.plural }, name || given || generateName || "Unknown", why);
}

/** What is stored of a resource, all or in one namespace. */
export async function stored<T>(store: Store, group: string, plural: string, namespace = ""): Promise<readonly Loose<T>[]> {
  const within = namespace === "" ? "" : `${namespace}/`;
  const { entries } = await store.range(`${storagePrefix(group, plural)}/${within}`);
  return entries.map(({ value }) => value as Loose<T>);
}

export async function storedOne<T>(store: Store, group: string, plural: string, name: string): Promise<Loose<T> | undefined> {
  return (await store.get(`${storagePrefix(group, plural)}/${name}`))?.value as Loose<T> | undefined;
}

/** Of those that an annotation makes the default, the newest. */
export function newestDefault<T extends JsonObject | object>(all: readonly T[], annotation: string): string | undefined {
  const meta = (object: T) => metadataOf(object as JsonObject);
  const marked = all.filter((object) => meta(object).annotations?.[annotation] === "true");
  marked.sort((a, b) => {
    const [first, second] = [meta(a), meta(b)];
    const later = (second.creationTimestamp ?? "").localeCompare(first.creationTimestamp ?? "");
    return later !== 0 ? later : (first.name ?? "").localeCompare(second.name ?? "");
  });
  return marked[0] === undefined ? undefined : meta(marked[0]).name;
}
