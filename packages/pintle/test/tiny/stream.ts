/** A queue of lines that a reader waits on: what a watch looks like from the inside. */
export interface Stream {
  push(line: unknown): void;
  end(error?: unknown): void;
  /** Nothing more arrives and nothing ends: a connection that died without telling. */
  blackhole(): void;
  readonly lines: AsyncIterable<unknown>;
}

export function stream(signal: AbortSignal | undefined, closed: () => void): Stream {
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
    blackhole() {
      dark = true;
    },
    lines: {
      async *[Symbol.asyncIterator]() {
        try {
          while (true) {
            while (waiting.length > 0) yield waiting.shift();
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
