/**
 * AbortSignal.any, which in Node 20 does not keep what it is made of: a signal of AbortSignal.timeout that nobody else knows is
 * collected, and never fires (in 22.23 it does). One that somebody listens to is kept; the same listener twice is one.
 */
export function anySignal(signals: readonly AbortSignal[]): AbortSignal {
  for (const signal of signals) signal.addEventListener("abort", listening);
  return AbortSignal.any([...signals]);
}

function listening(): void {}
