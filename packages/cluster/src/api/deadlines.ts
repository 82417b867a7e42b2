import type { Clock } from "pintle/internal/clock";
import { type InFlightEntry, InFlightSet } from "./in-process/in-flight-set.ts";

/** Something that must end in time. */
export interface DeadlineEntry extends InFlightEntry {
  /** By the monotonic time of the clock; infinity: never. */
  readonly expiresAt: number;
  /** Called once, when the deadline has passed and the entry was not deleted. */
  expire(): void;
}

const CHECK_INTERVAL_MS = 1000;

/** Deadlines of many entries, most of which end in time: one timer checks all of them, with a precision of about a second. */
export class Deadlines<T extends DeadlineEntry> {
  readonly #entries = new InFlightSet<T>();
  readonly #clock: Clock;
  #armed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(entry: T): void {
    this.#entries.add(entry);
    if (!this.#armed) this.#arm();
  }

  /** Returns false if the entry expired or was deleted before. */
  delete(entry: T): boolean {
    return this.#entries.delete(entry);
  }

  /** Returns a copy of the entries. */
  snapshot(): readonly T[] {
    return this.#entries.snapshot();
  }

  #arm(): void {
    this.#armed = true;
    this.#clock.setTimeout(() => this.#check(), CHECK_INTERVAL_MS);
  }

  #check(): void {
    this.#armed = false;
    const entries = this.#entries.snapshot();
    const now = this.#clock.monotonic();
    let left = entries.length;
    for (const entry of entries) {
      if (entry.expiresAt > now || !this.#entries.delete(entry)) continue;
      left--;
      entry.expire();
    }
    if (left > 0 && !this.#armed) this.#arm();
  }
}
