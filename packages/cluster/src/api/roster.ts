/** Whoever is on a roster carries its place on it. */
export interface Placed {
  place: number;
}

/**
 * What is under way, in no order: entered and left by every request, and not a Set. A Set copies its table every few
 * changes, and the table that is left behind points to the next one and to all that was in it. Once one of them is in
 * the old generation, so is everything that comes after, until the next collection of everything.
 */
export class Roster<T extends Placed> {
  readonly #all: T[] = [];

  add(one: T): void {
    one.place = this.#all.push(one) - 1;
  }

  /** False when it was gone already. */
  delete(one: T): boolean {
    const { place } = one;
    if (this.#all[place] !== one) return false;
    const last = this.#all.pop() as T;
    if (last !== one) {
      this.#all[place] = last;
      last.place = place;
    }
    return true;
  }

  /** Those on it now, whatever happens to them meanwhile. */
  all(): readonly T[] {
    return this.#all.slice();
  }
}
