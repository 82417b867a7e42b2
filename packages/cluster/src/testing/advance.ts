import type { Clock, VirtualClock } from "pintle/queue";

export function isVirtual(clock: Clock): clock is VirtualClock {
  return "advance" in clock;
}

/** Lets time pass on a clock that stands still: from timer to timer, waiting between them for the rest that `settle` brings. */
export async function advance(clock: Clock, ms: number, settle: () => Promise<void>): Promise<void> {
  if (!isVirtual(clock)) {
    throw new Error("advance() moves a virtual clock, and this cluster goes by the system's: start it with { clock: virtualClock() }");
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
