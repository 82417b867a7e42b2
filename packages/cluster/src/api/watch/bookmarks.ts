import type { Clock } from "pintle/queue";

const EVERY = 60_000;
const BEFORE_END = 2000;

/** Calls `send` about every minute and shortly before `end` (both on the clock's scale); returns how to stop. */
export function bookmarks(clock: Clock, end: number, send: () => void): () => void {
  let timer: object | undefined;
  const arm = () => {
    const now = clock.now();
    const at = Math.min(now + EVERY, end - BEFORE_END);
    if (at <= now) return;
    timer = clock.setTimeout(() => {
      send();
      arm();
    }, at - now);
  };
  arm();
  return () => clock.clearTimeout(timer);
}
