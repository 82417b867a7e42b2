import { setImmediate as turn, setTimeout as wait } from "node:timers/promises";
import type { Clock } from "pintle/queue";
import { isVirtual } from "./advance.ts";
import type { Pulse } from "./pulse.ts";

export interface SettledOptions {
  /** So many milliseconds of real time without a request or an event: for clients in other processes, whose queues nobody sees. */
  readonly quiet?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Turns of the event loop without a sign of life after which everything in this process is at rest: a queue starts what is
 * due in the next turn, and whatever that does is a request.
 */
const TURNS = 6;
/** Where time stands still, a request that has not moved for so many milliseconds waits for time to pass. */
const STUCK = 200;

/** Resolves when nothing is under way and nothing follows from what was; what waits for time to pass does not count. */
export async function settled(
  { beats }: { readonly beats: Pulse },
  clock: Clock,
  { quiet = 0, signal }: SettledOptions = {},
): Promise<void> {
  let seen = -1;
  let turns = 0;
  let since = performance.now();
  for (;;) {
    signal?.throwIfAborted();
    if (seen !== beats.beats) {
      seen = beats.beats;
      turns = 0;
      since = performance.now();
    }
    const still = performance.now() - since;
    const idle = beats.underWay === 0 || (isVirtual(clock) && still > STUCK);
    if (idle && turns >= TURNS && still >= quiet) return;
    if (turns++ < TURNS * 10) await turn();
    else await wait(1);
  }
}
