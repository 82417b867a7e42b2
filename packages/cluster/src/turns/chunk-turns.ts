/** How many sources are read in one iteration of the event loop. */
const CHUNKS_PER_ITERATION = 8;

/** Lets few of many sources go on at a time: reading all bodies as fast as they come would keep small requests waiting. */
export class ChunkTurns {
  readonly #waiting: (() => void)[] = [];

  /** Calls `resume` once, soon; first come, first served. */
  schedule(resume: () => void): void {
    if (this.#waiting.push(resume) === 1) setImmediate(() => this.#resumeSome());
  }

  #resumeSome(): void {
    for (const resume of this.#waiting.splice(0, CHUNKS_PER_ITERATION)) resume();
    if (this.#waiting.length > 0) setImmediate(() => this.#resumeSome());
  }
}
