import type { Clock } from "../../clock/index.ts";

/** A pass that took this long may have blocked the event loop all the time. */
const LONG_PASS_MS = 50;

/** Holds passes back after one that may have blocked the event loop, until handlers of signals have run. Shared by the controllers of a process. */
export interface PassGate {
  /** Returns a promise to await before a pass starts; `undefined` if it may start at once. */
  wait(): Promise<void> | undefined;
  /** Called when the synchronous part of a pass has returned, and when the pass has ended. */
  recordPass(startedAt: number): void;
}

/** Returns an open gate. */
export function createPassGate(clock: Pick<Clock, "monotonic">): PassGate {
  let turn: Promise<void> | undefined;
  /** Resolves after the event loop has polled: Node reports signals there. The first callback can run before the poll. */
  const pollOnce = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)));
  const waitUntilOpen = async () => {
    // The first pass behind the gate may block again.
    while (turn !== undefined) await turn;
  };
  return {
    wait: () => (turn === undefined ? undefined : waitUntilOpen()),
    recordPass(startedAt) {
      if (clock.monotonic() - startedAt < LONG_PASS_MS) return;
      const next = pollOnce().then(() => {
        if (turn === next) turn = undefined;
      });
      turn = next;
    },
  };
}
