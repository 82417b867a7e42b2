import { setTimeout as delay } from "node:timers/promises";
import type { Target } from "./target.ts";

const POLL_INTERVAL_MS = 50;

/** Polls a path until the body satisfies the condition. */
export async function waitUntil(target: Target, path: string, done: (body: any) => boolean) {
  for (;;) {
    const answer = await target.send("GET", path);
    if (answer.status === 200 && done(answer.body)) return answer;
    await delay(POLL_INTERVAL_MS);
  }
}

/** Polls a path until it is not found. */
export async function waitForNotFound(target: Target, path: string) {
  for (;;) {
    const answer = await target.send("GET", path);
    if (answer.status === 404) return answer;
    await delay(POLL_INTERVAL_MS);
  }
}
