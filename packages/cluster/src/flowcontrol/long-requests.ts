/** Places for each seat. Long requests are worked on one after the other, so that more of them at a time would only take memory and time from others. */
const PLACES_PER_SEAT = 1 / 6;
/** The part of the places that one user may have. */
const SHARE_OF_USER = 0.5;

/** Counts the requests in execution that take long. */
export class LongRequests {
  readonly #max: number;
  readonly #countByUser = new Map<string, number>();
  #count = 0;

  constructor(seats: number) {
    this.#max = Math.ceil(seats * PLACES_PER_SEAT);
  }

  /** Returns false where there are too many. */
  add(user: string): boolean {
    const count = this.#countByUser.get(user) ?? 0;
    if (this.#count >= this.#max || count >= Math.ceil(this.#max * SHARE_OF_USER)) return false;
    this.#count++;
    this.#countByUser.set(user, count + 1);
    return true;
  }

  delete(user: string): void {
    this.#count--;
    const count = (this.#countByUser.get(user) ?? 0) - 1;
    if (count > 0) this.#countByUser.set(user, count);
    else this.#countByUser.delete(user);
  }
}
