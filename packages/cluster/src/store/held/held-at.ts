import { setTimeout as delay } from "node:timers/promises";
import type { EtcdPlace } from "../open-store.ts";
import { type Store, StoreError } from "../store.ts";
import { heldStore } from "./held-store.ts";
import { knock } from "./knock.ts";

/** For so long a server that is just ending may keep its place. */
const PATIENCE = 10_000;
const AGAIN = 50;

/** The store that a drop-in etcd holds there; undefined where something else answers. Throws StoreError when nobody does. */
export async function heldAt(place: EtcdPlace): Promise<Store | undefined> {
  const end = performance.now() + PATIENCE;
  for (;;) {
    const answer = await firstAnswer(place);
    if (answer.type === "other") return undefined;
    if (answer.type === "holder") return heldStore(answer.socket, answer.head);
    if (performance.now() > end) throw new StoreError(answer.why);
    await delay(AGAIN);
  }
}

async function firstAnswer(place: EtcdPlace) {
  const failures: unknown[] = [];
  for (const endpoint of place.endpoints) {
    try {
      return await knock(endpoint, place);
    } catch (error) {
      failures.push(error);
    }
  }
  throw failures[0] ?? new StoreError("no endpoints of etcd are given: say where it is");
}
