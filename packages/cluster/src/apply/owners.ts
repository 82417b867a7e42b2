import { isObject, type Json, type JsonObject, type ManagedFieldsEntry } from "pintle/kinds";
import { type FieldSet, fromFieldsV1, toFieldsV1 } from "pintle/merge";

/** Who a set of fields belongs to. An applier is the same in every version; whoever updates is another one in each. */
export interface Identity {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  readonly apiVersion: string;
  readonly subresource: string;
}
export interface Owner extends Identity {
  readonly time: string | undefined;
  readonly set: FieldSet;
}
export type Owners = ReadonlyMap<string, Owner>;
export const NOBODY: Owners = new Map();

/** The text by which the server tells owners apart, and sorts them. */
export function ownerId({ manager, operation, apiVersion, subresource }: Identity): string {
  let id = manager === "" ? "{" : `{"manager":${JSON.stringify(manager)},`;
  id += `"operation":"${operation}"`;
  if (operation === "Update") id += `,"apiVersion":${JSON.stringify(apiVersion)}`;
  return subresource === "" ? `${id}}` : `${id},"subresource":${JSON.stringify(subresource)}}`;
}

/** Lists of entries whose owners are known: those we wrote, and those that can no longer change. */
const known = new WeakMap<object, Owners>();
const written = new WeakMap<Owner, ManagedFieldsEntry>();

/** Reads `metadata.managedFields`; throws when an entry is malformed. */
export function decodeOwners(entries: Json | undefined): Owners {
  if (!Array.isArray(entries)) return NOBODY;
  const remembered = known.get(entries);
  if (remembered !== undefined) return remembered;
  const owners = new Map<string, Owner>();
  for (const [i, entry] of (entries as readonly Json[]).entries()) {
    const owner = decode(isObject(entry) ? entry : {}, i);
    owners.set(ownerId(owner), owner);
    if (Object.isFrozen(entry)) written.set(owner, entry as ManagedFieldsEntry);
  }
  if (Object.isFrozen(entries)) known.set(entries, owners);
  return owners;
}

function decode(entry: JsonObject, index: number): Owner {
  const { manager, operation, apiVersion, fieldsType, fieldsV1, subresource, time } = entry;
  if (operation !== "Apply" && operation !== "Update") throw new SyntaxError("operation must be `Apply` or `Update`");
  if (typeof apiVersion !== "string" || apiVersion === "") throw new SyntaxError("apiVersion must not be empty");
  if (fieldsType === undefined || fieldsType === "") throw new SyntaxError(`missing fieldsType in managed fields entry ${index}`);
  if (fieldsType !== "FieldsV1") {
    throw new SyntaxError(`invalid fieldsType ${JSON.stringify(fieldsType)} in managed fields entry ${index}`);
  }
  return {
    manager: typeof manager === "string" ? manager : "",
    operation,
    apiVersion,
    subresource: typeof subresource === "string" ? subresource : "",
    time: typeof time === "string" ? time : undefined,
    set: fromFieldsV1(fieldsV1),
  };
}

/** `metadata.managedFields` of these owners, in the server's order; undefined when there are none. */
export function encodeOwners(owners: Owners): readonly ManagedFieldsEntry[] | undefined {
  if (owners.size === 0) return undefined;
  const entries = [...owners.values()].sort(compareOwners).map(encode);
  known.set(entries, owners);
  return entries;
}

function encode(owner: Owner): ManagedFieldsEntry {
  const before = written.get(owner);
  if (before !== undefined) return before;
  const { manager, operation, apiVersion, time, set, subresource } = owner;
  const entry: ManagedFieldsEntry = {
    ...(manager === "" ? {} : { manager }),
    operation,
    apiVersion,
    ...(time === undefined ? {} : { time }),
    fieldsType: "FieldsV1",
    fieldsV1: toFieldsV1(set),
    ...(subresource === "" ? {} : { subresource }),
  };
  written.set(owner, entry);
  return entry;
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
