/** An entry knows its index in the set. */
export interface InFlightEntry {
  index: number;
}

/**
 * An unordered set of requests in flight. Not a Set: a Set copies its table every few changes, and the old table points to the new
 * one and to all its entries. Once a table is in the old generation, everything after it is kept alive until the next full garbage collection.
 */
export class InFlightSet<T extends InFlightEntry> {
  readonly #all: T[] = [];

  add(one: T): void {
    one.index = this.#all.push(one) - 1;
  }

  /** Returns false if the entry was deleted before. */
  delete(one: T): boolean {
    const { index } = one;
    if (this.#all[index] !== one) return false;
    const last = this.#all.pop() as T;
    if (last !== one) {
      this.#all[index] = last;
      last.index = index;
    }
    return true;
  }

  /** Returns a copy of the entries. */
  snapshot(): readonly T[] {
    return this.#all.slice();
  }
}
