import type { JsonObject, ManagedFieldsEntry } from "pintle/kinds";
import type { Random } from "pintle/queue";
import { generateUid, timestamp } from "../api/index.ts";
import { freeze } from "../store/index.ts";
import { managedFields } from "./generated/objects.ts";

/** When objects are made, and what makes their uids. */
export interface Birth {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly random: Random;
  /** Where services get their addresses. */
  readonly services?: ServiceNetwork | undefined;
}
export interface ServiceNetwork {
  /** "10.96.0.0/16" */
  readonly range: string;
  /** Its first address, that of the `kubernetes` Service. */
  readonly first: string;
}

/** What a server's own objects say about it. */
export interface ServerFacts extends Birth {
  /** PEM; who signs the certificates of clients. Undefined: nobody does. */
  readonly clientAuthority: string | undefined;
  readonly port: number;
  /** Where pods and nodes reach it, without the port. */
  readonly address?: string | undefined;
}

/** An object that a server begins with, and where it is stored. */
export interface BootstrapObject {
  readonly key: string;
  readonly object: JsonObject;
}

/** A generated line: key, number of its managed fields, object. */
type Template = readonly [key: string, owners: number, object: JsonObject];

/** Makes objects from their generated lines, each read by `read`. */
export function objectsOf(lines: string, { now, random }: Birth, read: (line: string) => Template): readonly BootstrapObject[] {
  const time = timestamp(now);
  const filled = (line: string) =>
    line
      .replaceAll("<now>", time)
      .replaceAll("<instant>", new Date(now).toISOString().replace("Z", "000Z"))
      .replaceAll("<today>", time.slice(0, 10))
      .replaceAll("<uid>", () => generateUid(random));
  const owners = ownersOf().map((entries) => entries.map((entry) => ({ ...entry, time })));
  return lines.split("\n").map((line) => {
    const [key, owned, object] = line.includes("<") ? parsed(filled(line)) : read(line);
    const metadata = {
      ...(object["metadata"] as JsonObject),
      uid: generateUid(random),
      creationTimestamp: time,
      managedFields: owners[owned],
    };
    return { key, object: { ...object, metadata } as unknown as JsonObject };
  });
}

/** A line that only this cluster has. */
export const parsed = (line: string) => JSON.parse(line) as Template;

const templates = new Map<string, Template>();

/** A line that every cluster has: it is the same value in all clusters of this process. */
export function shared(line: string): Template {
  let known = templates.get(line);
  if (known === undefined) {
    known = freeze(parsed(line));
    templates.set(line, known);
  }
  return known;
}

let parsedOwners: readonly (readonly ManagedFieldsEntry[])[] | undefined;

function ownersOf(): readonly (readonly ManagedFieldsEntry[])[] {
  parsedOwners ??= freeze(managedFields.split("\n").map((line) => JSON.parse(line) as readonly ManagedFieldsEntry[]));
  return parsedOwners;
}
