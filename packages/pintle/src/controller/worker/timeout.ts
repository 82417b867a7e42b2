import { type Clock, createAbortController, type Timer } from "../../clock/index.ts";
import { runInBackground } from "../../errors/index.ts";
import { ReconcileTimeout } from "../errors.ts";

/** The abort reason of a signal whose work has ended; created once, because every reconcile pass uses it. */
const RECONCILE_ENDED = new DOMException("the reconcile pass has ended", "AbortError");
const RECONCILE_HAS_ENDED = { reason: RECONCILE_ENDED };
/** How long work may go on after the timeout has aborted its signal. Then it is abandoned: its promise may never settle. */
const ABANDON_AFTER_MS = 10_000;
/** When `onSlow` is called first; then each time the duration has doubled. With a short timeout, after half of it. */
const FIRST_WARNING_MS = 60_000;

/**
 * The abort signal of one piece of work, created on first use: most reconcile passes neither send a request nor read it, and an
 * `AbortController` costs more than their plan.
 */
export interface WorkSignal {
  /** For the author's code: aborted with the work, and when the work has ended, so that calls that were not awaited end too. */
  readonly signal: AbortSignal;
  /** For requests that the work itself awaits: aborted with the work. */
  readonly awaitedSignal: AbortSignal;
  /** Throws the reason if the work was aborted. */
  throwIfAborted(): void;
}

/** Returns the signal of work that only `stop` aborts. */
export function toWorkSignal(stop: AbortSignal): WorkSignal {
  return { signal: stop, awaitedSignal: stop, throwIfAborted: () => stop.throwIfAborted() };
}

/** A class, for its getters: see `PassContext`. */
class LazySignal implements WorkSignal {
  #controller: AbortController | undefined;
  #isGivenAway = false;
  /** The reason of an abort before the first use. */
  #aborted: { readonly reason: unknown } | undefined;

  get signal(): AbortSignal {
    this.#isGivenAway = true;
    const signal = this.awaitedSignal;
    // Read after the end of work whose own requests needed no abort.
    if (this.#aborted !== undefined) this.#controller?.abort(this.#aborted.reason);
    return signal;
  }
  get awaitedSignal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = createAbortController();
      if (this.#aborted !== undefined) this.#controller.abort(this.#aborted.reason);
    }
    return this.#controller.signal;
  }
  throwIfAborted(): void {
    if (this.#aborted !== undefined) throw this.#aborted.reason;
  }
  abort(reason: unknown): void {
    this.#aborted ??= { reason };
    this.#controller?.abort(reason);
  }
  /** The work has ended. Its own requests have too. */
  end(): void {
    this.#aborted ??= RECONCILE_HAS_ENDED;
    if (this.#isGivenAway) this.#controller?.abort(RECONCILE_ENDED);
  }
}

export interface TimeoutOptions {
  readonly clock: Clock;
  /** In milliseconds; undefined: no limit. */
  readonly timeout: number | undefined;
  /** Aborts the work without a timeout. */
  readonly stop: AbortSignal;
  readonly onTimeout: () => void;
  /** Called before the timeout with the milliseconds so far. */
  readonly onSlow: (elapsed: number) => void;
  /** Describes what the work did last. */
  readonly describeProgress: () => string;
}

/**
 * Runs `work` with a signal that aborts after `timeout` milliseconds, or with `stop`. Rejects with `ReconcileTimeout` after a timeout. A promise cannot be
 * cancelled and the same object must not be reconciled twice at the same time, so the work has `ABANDON_AFTER_MS` to end after its signal.
 */
export function withTimeout<T>(options: TimeoutOptions, work: (signal: WorkSignal) => Promise<T>): Promise<T> {
  const { clock, timeout = Number.POSITIVE_INFINITY, stop } = options;
  return new Promise<T>((resolve, reject) => {
    const own = new LazySignal();
    const onStop = () => {
      // A timer would keep a stopping process alive.
      clock.clearTimeout(timer);
      own.abort(stop.reason);
    };
    let timer: Timer | undefined;
    let late: ReconcileTimeout | undefined;
    const end = (settle: () => void) => {
      clock.clearTimeout(timer);
      stop.removeEventListener("abort", onStop);
      own.end();
      settle();
    };
    const abort = () => {
      const message = `not finished after ${timeout / 1000} s (${options.describeProgress()})`;
      late = new ReconcileTimeout(message);
      own.abort(late);
      options.onTimeout();
      const abandoned = `${message}, nor ${ABANDON_AFTER_MS / 1000} s after its signal was aborted: abandoned`;
      timer = clock.setTimeout(() => end(() => reject(new ReconcileTimeout(abandoned, { isAbandoned: true }))), ABANDON_AFTER_MS);
    };
    const waitFrom = (elapsed: number) => {
      const next = Math.min(timeout, elapsed === 0 ? Math.min(FIRST_WARNING_MS, timeout / 2) : elapsed * 2);
      timer = clock.setTimeout(() => {
        if (next === timeout) return abort();
        options.onSlow(next);
        waitFrom(next);
      }, next - elapsed);
    };
    waitFrom(0);
    if (stop.aborted) onStop();
    else stop.addEventListener("abort", onStop, { once: true });
    const ended = work(own).then(
      (value) => end(() => (late === undefined ? resolve(value) : reject(late))),
      // What fails after the timeout fails because of it.
      (error: unknown) => end(() => reject(late ?? error)),
    );
    runInBackground(ended);
  });
}
