import type { JsonObject } from "pintle/kinds";
import { type AdmissionPlugin, type AdmissionRequest, getMetadata } from "../../api/index.ts";
import { type ApiError, forbidden } from "../../status/index.ts";
import type { ObjectStore } from "../../store/index.ts";
import { createDraft, type Draft, finishDraft, type Unvalidated } from "../draft.ts";
import { getStoragePrefix } from "../kind-attributes.ts";

/** A plugin for the objects of one resource, without subresources. */
interface ResourcePluginOptions<T> {
  readonly group: string;
  readonly plural: string;
  readonly operations: readonly AdmissionRequest["operation"][];
  mutate?(draft: Draft<T>, request: AdmissionRequest): Promise<void> | void;
  validate?(object: Unvalidated<T>, request: AdmissionRequest): Promise<void> | void;
}

/** Key of the draft that the last of these plugins created for a request. Only the next plugin receives it, so it may change it in place. */
const LAST_DRAFT = Object.freeze({});

/** Creates an admission plugin for one resource. */
export function createResourcePlugin<T>(
  name: string,
  { group, plural, operations, mutate, validate }: ResourcePluginOptions<T>,
): AdmissionPlugin {
  const appliesTo = ({ operation, resource, subresource, object }: AdmissionRequest) =>
    resource.plural === plural && resource.group === group && subresource === "" && operations.includes(operation) && object !== undefined;
  const runMutation = async (request: AdmissionRequest, apply: NonNullable<typeof mutate>) => {
    const { object: input, reinvocation } = request;
    reinvocation.pluginContexts ??= new Map();
    // On reinvocation, the admission chain still holds the result of the first round.
    const isOwn = reinvocation.pluginContexts.get(LAST_DRAFT) === input && !reinvocation.isReinvocation;
    const draft = isOwn ? (input as Draft<T>) : createDraft<T>(input!);
    await apply(draft, request);
    const object = finishDraft(draft);
    reinvocation.pluginContexts.set(LAST_DRAFT, object);
    return object;
  };
  return {
    name,
    admit: (request) => (mutate === undefined || !appliesTo(request) ? undefined : runMutation(request, mutate)),
    validate: (request) =>
      validate === undefined || !appliesTo(request) ? undefined : Promise.resolve(validate(request.object as Unvalidated<T>, request)),
  };
}

/** Creates the Forbidden error of an admission plugin. */
export function createForbiddenError({ resource, name, object }: AdmissionRequest, why: string): ApiError {
  const { name: objectName, generateName } = object === undefined ? {} : getMetadata(object);
  return forbidden({ group: resource.group, resource: resource.plural }, name || objectName || generateName || "Unknown", why);
}

/** Lists the stored objects of a resource, in all namespaces or in one. */
export async function listStored<T>(store: ObjectStore, group: string, plural: string, namespace = ""): Promise<readonly Unvalidated<T>[]> {
  const within = namespace === "" ? "" : `${namespace}/`;
  const { entries } = await store.range(`${getStoragePrefix(group, plural)}/${within}`);
  return entries.map(({ value }) => value as Unvalidated<T>);
}

export async function getStored<T>(store: ObjectStore, group: string, plural: string, name: string): Promise<Unvalidated<T> | undefined> {
  return (await store.get(`${getStoragePrefix(group, plural)}/${name}`))?.value as Unvalidated<T> | undefined;
}

/** Returns the name of the newest object that the annotation marks as default. */
export function findNewestDefault<T extends JsonObject | object>(all: readonly T[], annotation: string): string | undefined {
  const meta = (object: T) => getMetadata(object as JsonObject);
  const marked = all.filter((object) => meta(object).annotations?.[annotation] === "true");
  marked.sort((a, b) => {
    const [first, second] = [meta(a), meta(b)];
    const later = (second.creationTimestamp ?? "").localeCompare(first.creationTimestamp ?? "");
    return later !== 0 ? later : (first.name ?? "").localeCompare(second.name ?? "");
  });
  return marked[0] === undefined ? undefined : meta(marked[0]).name;
}
