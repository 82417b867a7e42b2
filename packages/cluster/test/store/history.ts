import type { JsonObject } from "pintle/kinds";
import { type Random, seeded } from "pintle/queue";
import type { Committed, Conflict, Store, StoreEvent } from "../../src/store/index.ts";

/** What a store holds, in a form that can be compared. */
export type State = readonly (readonly [key: string, revision: number, value: JsonObject])[];

export async function stateOf(store: Store): Promise<State> {
  const { entries } = await store.range("/registry/");
  return entries.map(({ key, revision, value }) => [key, revision, value]);
}

/** The same as a text, for those who compare thousands. */
/** Answers of a store as values that can be compared: entries and events say what they hold only when they are asked. */
export function plain(answer: unknown): unknown {
  if (Array.isArray(answer)) return answer.map(plain);
  if (typeof answer !== "object" || answer === null) return answer;
  const { key, revision, value, type, previous } = answer as Partial<StoreEvent>;
  if (key !== undefined) return { key, revision, value, type, previous: plain(previous) };
  return Object.fromEntries(Object.entries(answer).map(([name, part]) => [name, name === "value" ? part : plain(part)]));
}

export async function textOf(store: Store): Promise<string> {
  return JSON.stringify(await stateOf(store));
}

export const object = (name: string, data: unknown): JsonObject => ({ kind: "Thing", metadata: { name }, data }) as JsonObject;

/** One random change: mostly one that succeeds, of few enough keys that they are met again. */
export async function step(store: Store, random: Random, size = 700): Promise<Committed | Conflict> {
  const name = `n${Math.floor(random() * 8)}`;
  const key = `/registry/things/${name}`;
  const there = (await store.get(key))?.revision ?? 0;
  const expect = random() < 0.1 ? there + 1 : there;
  if (there !== 0 && random() < 0.3) return store.txn(key, expect, { delete: true });
  return store.txn(key, expect, { put: object(name, "x".repeat(Math.floor(random() * size))) });
}

export { seeded };
