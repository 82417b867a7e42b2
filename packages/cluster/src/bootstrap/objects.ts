import type { JsonObject, ManagedFieldsEntry } from "pintle/kinds";
import type { Random } from "pintle/queue";
import { generateUid, timestamp } from "../api/index.ts";
import { managedFields } from "./generated/objects.ts";

/** What a server's own objects say about it. */
export interface ServerFacts {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly random: Random;
  /** PEM; who signs the certificates of clients. */
  readonly clientAuthority: string;
  readonly port: number;
}

/** An object that a server begins with, and where it is stored. */
export interface BootstrapObject {
  readonly key: string;
  readonly object: JsonObject;
}

/** Makes objects from their generated lines, each of which is [key, number of its managed fields, object]. */
export function objectsOf(lines: string, { now, random, clientAuthority, port }: ServerFacts): readonly BootstrapObject[] {
  const time = timestamp(now);
  const filled = lines
    .replaceAll('"<now>"', `"${time}"`)
    .replaceAll("<instant>", new Date(now).toISOString().replace("Z", "000Z"))
    .replaceAll("<today>", time.slice(0, 10))
    .replaceAll("<authority>", () => JSON.stringify(clientAuthority).slice(1, -1))
    .replaceAll('"<port>"', String(port))
    .replaceAll("<port>", String(port))
    .replaceAll("<uid>", () => generateUid(random));
  const owners = managedFields
    .split("\n")
    .map((line) => (JSON.parse(line) as readonly ManagedFieldsEntry[]).map((entry) => ({ ...entry, time })));
  return filled.split("\n").map((line) => {
    const [key, owned, object] = JSON.parse(line) as [string, number, JsonObject];
    const metadata = {
      ...(object["metadata"] as JsonObject),
      uid: generateUid(random),
      creationTimestamp: time,
      managedFields: owners[owned],
    };
    return { key, object: { ...object, metadata } as unknown as JsonObject };
  });
}
