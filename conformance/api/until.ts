import { setTimeout as delay } from "node:timers/promises";
import type { Target } from "./target.ts";

const PAUSE = 50;

/** Asks until the answer is as wished. */
export async function until(target: Target, path: string, done: (body: any) => boolean) {
  for (;;) {
    const answer = await target.send("GET", path);
    if (answer.status === 200 && done(answer.body)) return answer;
    await delay(PAUSE);
  }
}

/** Asks until there is nothing any more. */
export async function gone(target: Target, path: string) {
  for (;;) {
    const answer = await target.send("GET", path);
    if (answer.status === 404) return answer;
    await delay(PAUSE);
  }
}
