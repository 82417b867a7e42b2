import type { WatchEvent } from "../request.ts";

/** How many milliseconds watchers are written to before requests get their turn. */
const TURN = 1;
/** So many are written to between two looks at the clock. */
const STRIDE = 8;

/**
 * Writes events to any number of watchers. Those that come close together leave in one write, whose bytes watchers of
 * the same events share; and however many watchers there are, requests do not wait for all of them.
 */
export interface FanOut {
  /** `flush` is called once, soon. */
  soon(flush: () => void): void;
  /** The events as one piece. */
  joined(events: readonly WatchEvent[]): Uint8Array;
}

export function fanOut(): FanOut {
  let waiting: (() => void)[] = [];
  let next = 0;
  let last: { readonly events: readonly WatchEvent[]; readonly bytes: Uint8Array } | undefined;

  const turn = () => {
    const end = performance.now() + TURN;
    while (next < waiting.length) {
      waiting[next++]?.();
      if (next % STRIDE === 0 && performance.now() > end) break;
    }
    if (next < waiting.length) setImmediate(turn);
    else {
      waiting = [];
      next = 0;
      last = undefined;
    }
  };
  return {
    soon(flush) {
      if (waiting.length === 0) setImmediate(turn);
      waiting.push(flush);
    },
    joined(events) {
      if (last === undefined || !same(events, last.events)) last = { events, bytes: Buffer.concat(events.map((each) => each.bytes())) };
      return last.bytes;
    },
  };
}

function same(a: readonly WatchEvent[], b: readonly WatchEvent[]): boolean {
  return a.length === b.length && a.every((event, index) => event === b[index]);
}
