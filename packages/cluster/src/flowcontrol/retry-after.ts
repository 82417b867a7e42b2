import type { Clock } from "pintle/internal/clock";

const MIN_SECONDS = 1;
const MAX_SECONDS = 32;

interface LevelState {
  /** Rejections of the last seconds that had any, oldest first. */
  counts: { readonly second: number; rejections: number }[];
  retryAfter: number;
  raisedAt: number;
}

/**
 * How long clients of a priority level should wait before they try again. With `r` seconds to wait: doubled, at most once in `r` seconds,
 * if the last `r` seconds had `3r` rejections or more; lowered by one if they had fewer than `r`. These are kube-apiserver's numbers.
 */
export class RetryAfter {
  readonly #clock: Clock;
  readonly #levels = new Map<string, LevelState>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns the seconds to wait. */
  recordRejection(level: string): number {
    const second = Math.floor(this.#clock.monotonic() / 1000);
    let state = this.#levels.get(level);
    if (state === undefined) {
      state = { counts: [], retryAfter: MIN_SECONDS, raisedAt: Number.NEGATIVE_INFINITY };
      this.#levels.set(level, state);
    }
    const last = state.counts.at(-1);
    if (last?.second === second) last.rejections++;
    else {
      updateRetryAfter(state, second);
      state.counts.push({ second, rejections: 1 });
    }
    return state.retryAfter;
  }
}

/** Called once in a second that has rejections. */
function updateRetryAfter(state: LevelState, second: number): void {
  const { retryAfter } = state;
  state.counts = state.counts.filter((each) => second - each.second <= MAX_SECONDS);
  let rejections = 0;
  for (const each of state.counts) if (second - each.second <= retryAfter) rejections += each.rejections;
  if (second - state.raisedAt >= retryAfter && rejections >= 3 * retryAfter) {
    state.retryAfter = Math.min(2 * retryAfter, MAX_SECONDS);
    state.raisedAt = second;
  } else if (rejections < retryAfter) state.retryAfter = Math.max(retryAfter - 1, MIN_SECONDS);
}
