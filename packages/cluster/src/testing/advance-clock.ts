import type { Clock, VirtualClock } from "pintle/internal/clock";
import { PintleError } from "pintle/internal/errors";

export function isVirtualClock(clock: Clock): clock is VirtualClock {
  return "advance" in clock;
}

/** Advances a virtual clock from timer to timer, and waits for `settle` after each. Throws if the clock is not virtual. */
export async function advanceClock(clock: Clock, ms: number, settle: () => Promise<void>): Promise<void> {
  if (!isVirtualClock(clock)) {
    throw new PintleError("PINTLE6503", "advance() requires a virtual clock: start the cluster with { clock: virtualClock() }");
  }
  await settle();
  let left = ms;
  for (let { next } = clock; next !== undefined && next <= left; { next } = clock) {
    await clock.advance(next);
    left -= next;
    await settle();
  }
  await clock.advance(left);
}
