import { isJsonObject } from "pintle/internal/json";
import { createStringCache } from "pintle/internal/memoize";
import { type FieldSet, isEmptySet, parseFieldsV1 } from "pintle/internal/merge";
import type { Json, JsonObject, ManagedFieldsEntry, Shape } from "pintle/kinds";

/** Identity of a field manager. An applier is the same in every version; an updater is distinct per version. */
export interface FieldManagerIdentity {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  readonly apiVersion: string;
  readonly subresource: string;
}

export interface FieldManager extends FieldManagerIdentity {
  /** Identifier by which the server distinguishes and sorts managers. */
  readonly id: string;
  readonly time: string | undefined;
  readonly set: FieldSet;
  /** The shape that the set was last adapted to. */
  readonly fittingShape: Shape | undefined;
  /** The stored entry, if the manager is unchanged since it was decoded. */
  readonly entry: ManagedFieldsEntry | undefined;
}

/** At most one manager per identity. */
export type FieldManagers = readonly FieldManager[];

export function createFieldManager(
  identity: FieldManagerIdentity,
  time: string | undefined,
  set: FieldSet,
  fittingShape: Shape | undefined,
): FieldManager {
  const { manager, operation, apiVersion, subresource } = identity;
  return { id: internManagerIdentifier(identity), manager, operation, apiVersion, subresource, time, set, fittingShape, entry: undefined };
}

/** Returns the time of a write; undefined for the scale subresource, where upstream does not record it. */
export function getWriteTime(subresource: string, now: string): string | undefined {
  return subresource === "scale" ? undefined : now;
}

/** Returns the manager with another field set or time. */
export function withFieldSet(
  before: FieldManager,
  { set = before.set, time = before.time }: { set?: FieldSet; time?: string | undefined },
): FieldManager {
  return set === before.set && time === before.time ? before : { ...before, set, time, entry: undefined };
}

/** Replaces the manager of the same identity, or removes it if its set is empty. */
export function replaceFieldManager(managers: FieldManagers, manager: FieldManager): FieldManagers {
  const others = managers.filter(({ id }) => id !== manager.id);
  return isEmptySet(manager.set) ? others : [...others, manager];
}

/** Identifiers are few and shared by all objects: each is interned. */
const identifiers = createStringCache<string>(1024 * 1024);

export function internManagerIdentifier(identity: FieldManagerIdentity): string {
  const identifier = buildManagerIdentifier(identity);
  const known = identifiers.get(identifier);
  if (known !== undefined) return known;
  identifiers.set(identifier, identifier);
  return identifier;
}

function buildManagerIdentifier({ manager, operation, apiVersion, subresource }: FieldManagerIdentity): string {
  let id = manager === "" ? "{" : `{"manager":${JSON.stringify(manager)},`;
  id += `"operation":"${operation}"`;
  if (operation === "Update") id += `,"apiVersion":${JSON.stringify(apiVersion)}`;
  return subresource === "" ? `${id}}` : `${id},"subresource":${JSON.stringify(subresource)}}`;
}

/** Decoded entry lists, by identity; only for lists that cannot change. */
const decodedEntries = new WeakMap<object, FieldManagers>();

/** Decodes `metadata.managedFields`. Throws `SyntaxError` for a malformed entry. */
export function decodeManagedFields(entries: Json | undefined): FieldManagers {
  if (!Array.isArray(entries)) return [];
  const known = decodedEntries.get(entries);
  if (known !== undefined) return known;
  const managers = new Map<string, FieldManager>();
  for (const [i, entry] of (entries as readonly Json[]).entries()) {
    const read = decodeEntry(isJsonObject(entry) ? entry : {}, i);
    managers.set(read.id, read);
  }
  const list = [...managers.values()];
  if (Object.isFrozen(entries)) decodedEntries.set(entries, list);
  return list;
}

function decodeEntry(entry: JsonObject, index: number): FieldManager {
  const { manager, operation, apiVersion, fieldsType, fieldsV1, subresource, time } = entry;
  if (operation !== "Apply" && operation !== "Update") throw new SyntaxError("operation must be `Apply` or `Update`");
  if (typeof apiVersion !== "string" || apiVersion === "") throw new SyntaxError("apiVersion must not be empty");
  if (fieldsType === undefined || fieldsType === "") throw new SyntaxError(`missing fieldsType in managed fields entry ${index}`);
  if (fieldsType !== "FieldsV1") {
    throw new SyntaxError(`invalid fieldsType ${JSON.stringify(fieldsType)} in managed fields entry ${index}`);
  }
  const text = (value: Json | undefined) => (typeof value === "string" ? value : "");
  const identity: FieldManagerIdentity = { manager: text(manager), operation, apiVersion, subresource: text(subresource) };
  const read = createFieldManager(identity, typeof time === "string" ? time : undefined, parseFieldsV1(fieldsV1), undefined);
  return Object.isFrozen(entry) && read.set === fieldsV1 ? { ...read, entry: entry as ManagedFieldsEntry } : read;
}

/** Encodes managers as `metadata.managedFields` in the server's order; undefined when there are none. */
export function encodeManagedFields(managers: FieldManagers): readonly ManagedFieldsEntry[] | undefined {
  if (managers.length === 0) return undefined;
  const written = managers.toSorted(compareFieldManagers).map(withEncodedEntry);
  const entries = written.map(({ entry }) => entry!);
  decodedEntries.set(entries, written);
  return entries;
}

function withEncodedEntry(of: FieldManager): FieldManager {
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

function compareFieldManagers(a: FieldManager, b: FieldManager): number {
  return (
    compareStrings(a.operation, b.operation) ||
    toEpochSeconds(a.time) - toEpochSeconds(b.time) ||
    compareStrings(a.manager, b.manager) ||
    compareStrings(a.apiVersion, b.apiVersion) ||
    compareStrings(a.subresource, b.subresource)
  );
}

export function toEpochSeconds(time: string | undefined): number {
  return time === undefined ? 0 : Math.floor(Date.parse(time) / 1000);
}

export function compareStrings(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
