import { type Random, seededRandom } from "pintle/internal/clock";
import type { JsonObject } from "pintle/kinds";
import type { ObjectStore, StoreEvent, TxnCommitted, TxnConflict } from "../../src/store/index.ts";

/** Content of a store in a comparable form. */
export type StoreState = readonly (readonly [key: string, revision: number, value: JsonObject])[];

export async function readState(store: ObjectStore): Promise<StoreState> {
  const { entries } = await store.range("/registry/");
  return entries.map(({ key, revision, value }) => [key, revision, value]);
}

/** Converts results of a store to plain values: entries and events decode their values lazily. */
export function toComparable(answer: unknown): unknown {
  if (Array.isArray(answer)) return answer.map(toComparable);
  if (typeof answer !== "object" || answer === null) return answer;
  const { key, revision, value, type, previous } = answer as Partial<StoreEvent>;
  if (key !== undefined) return { key, revision, value, type, previous: toComparable(previous) };
  return Object.fromEntries(Object.entries(answer).map(([name, part]) => [name, name === "value" ? part : toComparable(part)]));
}

export async function readStateText(store: ObjectStore): Promise<string> {
  return JSON.stringify(await readState(store));
}

export const createObject = (name: string, data: unknown): JsonObject => ({ kind: "Thing", metadata: { name }, data }) as JsonObject;

/** Runs a random transaction, mostly a successful one, on few enough keys that they repeat. */
export async function runRandomTxn(store: ObjectStore, random: Random, size = 700): Promise<TxnCommitted | TxnConflict> {
  const name = `n${Math.floor(random() * 8)}`;
  const key = `/registry/things/${name}`;
  const there = (await store.get(key))?.revision ?? 0;
  const expect = random() < 0.1 ? there + 1 : there;
  if (there !== 0 && random() < 0.3) return store.txn(key, expect, { delete: true });
  return store.txn(key, expect, { put: createObject(name, "x".repeat(Math.floor(random() * size))) });
}

export { seededRandom };
