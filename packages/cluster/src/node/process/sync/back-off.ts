/** How long a container that ended waits before it is started again, and since when. */
export interface BackOff {
  readonly delay: number;
  readonly setAt: number;
}

const FIRST = 10_000;
const LONGEST = 300_000;

/** Whoever ran that long has earned a fresh start. */
const isForgotten = ({ setAt }: BackOff, at: number) => at - setAt > 2 * LONGEST;

/** When a run that ended may be followed by another: the first time at once. */
export function restartAt(backOff: BackOff | undefined, finishedAt: number): number {
  return backOff === undefined || isForgotten(backOff, finishedAt) ? finishedAt : finishedAt + backOff.delay;
}

/** What is waited for the next time. */
export function longer(backOff: BackOff | undefined, now: number): BackOff {
  const fresh = backOff === undefined || isForgotten(backOff, now);
  return { delay: fresh ? FIRST : Math.min(LONGEST, backOff.delay * 2), setAt: now };
}
