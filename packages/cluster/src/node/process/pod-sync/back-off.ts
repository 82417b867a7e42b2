/** The crash-loop back-off of a container. */
export interface BackOff {
  readonly delay: number;
  readonly setAt: number;
}

const INITIAL_DELAY = 10_000;
const MAX_DELAY = 300_000;

/** A back-off expires after a run of twice the maximum. */
const isExpired = ({ setAt }: BackOff, at: number) => at - setAt > 2 * MAX_DELAY;

/** Returns when a container may restart: without delay the first time. */
export function getRestartTime(backOff: BackOff | undefined, finishedAt: number): number {
  return backOff === undefined || isExpired(backOff, finishedAt) ? finishedAt : finishedAt + backOff.delay;
}

/** Returns the back-off for the next restart. */
export function increaseBackOff(backOff: BackOff | undefined, now: number): BackOff {
  const isFirst = backOff === undefined || isExpired(backOff, now);
  return { delay: isFirst ? INITIAL_DELAY : Math.min(MAX_DELAY, backOff.delay * 2), setAt: now };
}
