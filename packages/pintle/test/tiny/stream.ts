/** A queue of lines that a reader waits on: what a watch looks like from the inside. */
export interface Stream {
  push(line: unknown): void;
  end(error?: unknown): void;
  /** Ends in the middle of what was on its way: half of it never arrives. */
  truncate(error: unknown): void;
  /** Nothing more arrives and nothing ends: a connection that died without telling. */
  blackhole(): void;
  readonly lines: AsyncIterable<unknown>;
}

/** `pace` is waited for before each line: how slow the network is. */
export function stream(signal: AbortSignal | undefined, pace: () => Promise<void> | undefined, closed: () => void): Stream {
  const waiting: unknown[] = [];
  let wake = () => {};
  let over = false;
  let dark = false;
  let failure: unknown;
  const end = (error?: unknown) => {
    if (over || dark) return;
    over = true;
    failure = error;
    wake();
  };
  const abort = () => {
    dark = false;
    over = true;
    failure = signal!.reason;
    wake();
  };
  signal?.addEventListener("abort", abort, { once: true });
  return {
    push(line) {
      if (over || dark) return;
      waiting.push(line);
      wake();
    },
    end,
    truncate(error) {
      waiting.length = Math.floor(waiting.length / 2);
      end(error);
    },
    blackhole() {
      dark = true;
    },
    lines: {
      async *[Symbol.asyncIterator]() {
        try {
          while (true) {
            while (waiting.length > 0) {
              await pace();
              // What was cut off meanwhile does not arrive.
              if (waiting.length > 0) yield waiting.shift();
            }
            if (over) {
              if (failure !== undefined) throw failure;
              return;
            }
            await new Promise<void>((resolve) => {
              wake = resolve;
            });
          }
        } finally {
          signal?.removeEventListener("abort", abort);
          closed();
        }
      },
    },
  };
}
