import type { WatchEvent } from "../request/api-request.ts";

/** How many milliseconds watches are written before other requests run. */
const MAX_ITERATION_MS = 1;
/** How many watches are written between two reads of the clock. */
const CLOCK_CHECK_INTERVAL = 8;

/**
 * Writes events to any number of watches. Events that come close together go out in one write, whose bytes watches of
 * the same events share; other requests run between the writes.
 */
export interface WatchFlushQueue {
  /** Calls `flush` once, soon. */
  schedule(flush: () => void): void;
  /**
   * Resolves when the watches have been written, or as many of them as an iteration of the event loop has time for; undefined if none is waiting. The
   * response of a write waits for that: a client that sees its own write should find it in its watch too.
   */
  waitForFlush(): Promise<void> | undefined;
  /** Concatenates the bytes of the events. */
  concatEvents(events: readonly WatchEvent[]): Uint8Array;
}

export function createWatchFlushQueue(): WatchFlushQueue {
  let waiting: (() => void)[] = [];
  let next = 0;
  let last: { readonly events: readonly WatchEvent[]; readonly bytes: Uint8Array } | undefined;

  let afterFlush: (() => void)[] = [];
  const flushWaiting = () => {
    const end = performance.now() + MAX_ITERATION_MS;
    while (next < waiting.length) {
      waiting[next++]?.();
      if (next % CLOCK_CHECK_INTERVAL === 0 && performance.now() > end) break;
    }
    const written = afterFlush;
    afterFlush = [];
    for (const resolve of written) resolve();
    if (next < waiting.length) setImmediate(flushWaiting);
    else {
      waiting = [];
      next = 0;
      last = undefined;
    }
  };
  return {
    schedule(flush) {
      if (waiting.length === 0) setImmediate(flushWaiting);
      waiting.push(flush);
    },
    waitForFlush: () => (waiting.length === 0 ? undefined : new Promise((resolve) => afterFlush.push(resolve))),
    concatEvents(events) {
      // A single event keeps its bytes.
      if (events.length === 1) return (events[0] as WatchEvent).bytes();
      if (last === undefined || !isSameEvents(events, last.events))
        last = { events, bytes: Buffer.concat(events.map((each) => each.bytes())) };
      return last.bytes;
    },
  };
}

function isSameEvents(a: readonly WatchEvent[], b: readonly WatchEvent[]): boolean {
  return a.length === b.length && a.every((event, index) => event === b[index]);
}
