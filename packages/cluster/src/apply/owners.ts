import { isObject, type Json, type JsonObject, type ManagedFieldsEntry, type Shape } from "pintle/kinds";
import { type FieldSet, fromFieldsV1, isEmpty } from "pintle/merge";

/** Who a set of fields belongs to. An applier is the same in every version; whoever updates is another one in each. */
export interface Identity {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  readonly apiVersion: string;
  readonly subresource: string;
}

export interface Owner extends Identity {
  /** The text by which the server tells owners apart, and sorts them. */
  readonly id: string;
  readonly time: string | undefined;
  readonly set: FieldSet;
  /** A shape that the set is known to fit. */
  readonly fits: Shape | undefined;
  /** How it is stored, if it is stored like this. */
  readonly entry: ManagedFieldsEntry | undefined;
}

/** At most one of each identity. */
export type Owners = readonly Owner[];

export function owner(identity: Identity, time: string | undefined, set: FieldSet, fits: Shape | undefined): Owner {
  const { manager, operation, apiVersion, subresource } = identity;
  return { id: ownerId(identity), manager, operation, apiVersion, subresource, time, set, fits, entry: undefined };
}

/** When a write counts as made: never through a Scale, which upstream forgets the time of. */
export function timeOf(subresource: string, now: string): string | undefined {
  return subresource === "scale" ? undefined : now;
}

/** The same owner, of another set or at another time. */
export function changed(before: Owner, { set = before.set, time = before.time }: { set?: FieldSet; time?: string | undefined }): Owner {
  return set === before.set && time === before.time ? before : { ...before, set, time, entry: undefined };
}

/** The owners with this one in the place of the one it is; without it when it owns nothing. */
export function withOwner(owners: Owners, one: Owner): Owners {
  const others = owners.filter(({ id }) => id !== one.id);
  return isEmpty(one.set) ? others : [...others, one];
}

/** Every object keeps its owners, and these are few: one text for each, not a new one for every object. */
const ids = new Map<string, string>();
const MAX_IDS = 1_000;

export function ownerId(identity: Identity): string {
  const made = idOf(identity);
  const known = ids.get(made);
  if (known !== undefined) return known;
  if (ids.size >= MAX_IDS) ids.clear();
  ids.set(made, made);
  return made;
}

function idOf({ manager, operation, apiVersion, subresource }: Identity): string {
  let id = manager === "" ? "{" : `{"manager":${JSON.stringify(manager)},`;
  id += `"operation":"${operation}"`;
  if (operation === "Update") id += `,"apiVersion":${JSON.stringify(apiVersion)}`;
  return subresource === "" ? `${id}}` : `${id},"subresource":${JSON.stringify(subresource)}}`;
}

/** Lists of entries whose owners are known, because we wrote them or they can no longer change. */
const known = new WeakMap<object, Owners>();

/** Reads `metadata.managedFields`; throws when an entry is malformed. */
export function decodeOwners(entries: Json | undefined): Owners {
  if (!Array.isArray(entries)) return [];
  const remembered = known.get(entries);
  if (remembered !== undefined) return remembered;
  const owners = new Map<string, Owner>();
  for (const [i, entry] of (entries as readonly Json[]).entries()) {
    const read = decode(isObject(entry) ? entry : {}, i);
    owners.set(read.id, read);
  }
  const list = [...owners.values()];
  if (Object.isFrozen(entries)) known.set(entries, list);
  return list;
}

function decode(entry: JsonObject, index: number): Owner {
  const { manager, operation, apiVersion, fieldsType, fieldsV1, subresource, time } = entry;
  if (operation !== "Apply" && operation !== "Update") throw new SyntaxError("operation must be `Apply` or `Update`");
  if (typeof apiVersion !== "string" || apiVersion === "") throw new SyntaxError("apiVersion must not be empty");
  if (fieldsType === undefined || fieldsType === "") throw new SyntaxError(`missing fieldsType in managed fields entry ${index}`);
  if (fieldsType !== "FieldsV1") {
    throw new SyntaxError(`invalid fieldsType ${JSON.stringify(fieldsType)} in managed fields entry ${index}`);
  }
  const text = (value: Json | undefined) => (typeof value === "string" ? value : "");
  const identity: Identity = { manager: text(manager), operation, apiVersion, subresource: text(subresource) };
  const read = owner(identity, typeof time === "string" ? time : undefined, fromFieldsV1(fieldsV1), undefined);
  return Object.isFrozen(entry) && read.set === fieldsV1 ? { ...read, entry: entry as ManagedFieldsEntry } : read;
}

/** `metadata.managedFields` of these owners, in the server's order; undefined when there are none. */
export function encodeOwners(owners: Owners): readonly ManagedFieldsEntry[] | undefined {
  if (owners.length === 0) return undefined;
  const written = owners.toSorted(compareOwners).map(encoded);
  const entries = written.map(({ entry }) => entry!);
  known.set(entries, written);
  return entries;
}

function encoded(of: Owner): Owner {
  if (of.entry !== undefined) return of;
  const { manager, operation, apiVersion, time, set, subresource } = of;
  const entry: { -readonly [K in keyof ManagedFieldsEntry]: ManagedFieldsEntry[K] } = {};
  if (manager !== "") entry.manager = manager;
  entry.operation = operation;
  entry.apiVersion = apiVersion;
  if (time !== undefined) entry.time = time;
  entry.fieldsType = "FieldsV1";
  entry.fieldsV1 = set;
  if (subresource !== "") entry.subresource = subresource;
  return { ...of, entry };
}

function compareOwners(a: Owner, b: Owner): number {
  return (
    compareText(a.operation, b.operation) ||
    seconds(a.time) - seconds(b.time) ||
    compareText(a.manager, b.manager) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource, b.subresource)
  );
}

export function seconds(time: string | undefined): number {
  return time === undefined ? 0 : Math.floor(Date.parse(time) / 1000);
}

export function compareText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
