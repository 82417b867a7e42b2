import { createHistogram } from "node:perf_hooks";

/** Ten looks a second: what holds the loop up for longer than this is seen. */
const LOOK_MS = 100;
const LOOKS_WITHOUT_WORK = 20;

/** How late the event loop turns, in seconds, since it was last told. */
export interface LoopLag {
  /** There is work: somebody may hold the loop up. */
  woken(): void;
  told(): { readonly most: number; readonly p99: number };
  stop(): void;
}

/**
 * Looks at the loop while there is work, and for two seconds more. An operator that waits is not woken ten times a second
 * only to see that nothing is late, which is why this is not Node's monitorEventLoopDelay: that cannot rest.
 */
export function loopLag(): LoopLag {
  const late = createHistogram();
  let timer: NodeJS.Timeout | undefined;
  let due = 0;
  let quiet = 0;
  const stop = () => {
    clearInterval(timer);
    timer = undefined;
  };
  const look = () => {
    const now = performance.now();
    late.record(Math.max(1, Math.round((now - due) * 1e6)));
    due = now + LOOK_MS;
    if (++quiet > LOOKS_WITHOUT_WORK) stop();
  };
  return {
    woken() {
      quiet = 0;
      if (timer !== undefined) return;
      due = performance.now() + LOOK_MS;
      timer = setInterval(look, LOOK_MS);
      timer.unref();
    },
    told() {
      const most = late.count === 0 ? 0 : late.max / 1e9;
      const p99 = late.count === 0 ? 0 : late.percentile(99) / 1e9;
      late.reset();
      return { most, p99 };
    },
    stop,
  };
}
