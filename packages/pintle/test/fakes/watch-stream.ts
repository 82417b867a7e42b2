/** The server's side of a watch: a queue of events that a reader awaits. */
export interface WatchStream {
  push(line: unknown): void;
  end(error?: unknown): void;
  /** Ends with an error and drops half of the events in flight. */
  truncate(error: unknown): void;
  /** Goes silent without an end: a half-open connection. */
  blackhole(): void;
  readonly lines: AsyncIterable<unknown>;
}

/** Creates a watch stream. `pace` is awaited before each event, to simulate a slow network. */
export function createWatchStream(signal: AbortSignal | undefined, pace: () => Promise<void> | undefined, closed: () => void): WatchStream {
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
              // Events truncated meanwhile are not delivered.
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
