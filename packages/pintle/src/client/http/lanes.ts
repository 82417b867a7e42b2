import type { Dispatcher } from "undici";

/** A connection that is kept, one request at a time. */
export type Lane = Dispatcher;

/** Someone who needs a lane. */
export interface Passenger {
  start(lane: Lane): void;
  /** There will be no lane: all were torn down. */
  strand(): void;
}

export interface Lanes {
  /** Starts the passenger on a free lane, or on the first to become free. */
  board(passenger: Passenger): void;
  /** Takes back a passenger that has not been started. */
  leave(passenger: Passenger): void;
  /** The lane is free again. */
  release(lane: Lane): void;
  /** The lane broke; the next passenger gets another. */
  scrap(lane: Lane): void;
  /** No new passengers; every lane closes when it is free. */
  retire(): void;
  destroy(): Promise<void>;
}

/**
 * At most `most` connections, the last used first, so that as few as possible are open. (undici's own pool counts a
 * connection as busy for a while after its answer has ended, and opens another.)
 */
export function lanes(open: () => Lane, most: number): Lanes {
  const all = new Set<Lane>();
  const free: Lane[] = [];
  const waiting = new Set<Passenger>();
  let state: "open" | "retired" | "destroyed" = "open";

  function board(passenger: Passenger): void {
    const idle = free.pop();
    if (state === "destroyed") passenger.strand();
    else if (idle !== undefined) passenger.start(idle);
    else if (all.size >= most) waiting.add(passenger);
    else {
      const lane = open();
      all.add(lane);
      passenger.start(lane);
    }
  }
  function take(): Passenger | undefined {
    const [next] = waiting;
    if (next !== undefined) waiting.delete(next);
    return next;
  }
  function close(lane: Lane): void {
    all.delete(lane);
    lane.close().catch(() => {});
  }

  return {
    board,
    leave(passenger) {
      waiting.delete(passenger);
    },
    release(lane) {
      const next = take();
      if (next !== undefined) next.start(lane);
      else if (state === "open") free.push(lane);
      else close(lane);
    },
    scrap(lane) {
      all.delete(lane);
      lane.destroy().catch(() => {});
      const next = take();
      if (next !== undefined) board(next);
    },
    retire() {
      state = "retired";
      for (const lane of free.splice(0)) close(lane);
    },
    async destroy() {
      state = "destroyed";
      for (const passenger of waiting) passenger.strand();
      waiting.clear();
      await Promise.all([...all].map((lane) => lane.destroy()));
    },
  };
}
