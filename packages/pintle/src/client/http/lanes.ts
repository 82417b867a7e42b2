import type { Lane } from "./lane.ts";

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
  destroy(): void;
}

/**
 * At most `most` connections, the last used first, so that as few as possible are open.
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
    lane.destroy();
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
      lane.destroy();
      const next = take();
      if (next !== undefined) board(next);
    },
    retire() {
      state = "retired";
      for (const lane of free.splice(0)) close(lane);
    },
    destroy() {
      state = "destroyed";
      for (const passenger of waiting) passenger.strand();
      waiting.clear();
      for (const lane of all) lane.destroy();
    },
  };
}
