import type { SpdyHeaders } from "./header-block.ts";

/** One stream of a connection, as whoever serves it sees it. */
export interface SpdyStream {
  readonly headers: SpdyHeaders;
  /** What the client sends, until it ends its side. To be read once. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Resolves when more may be written; rejects when the client has gone. */
  write(chunk: Uint8Array): Promise<void>;
  /** No more from this side. */
  end(): void;
  /** No more from either side. */
  reset(): void;
}

export interface StreamState {
  readonly stream: SpdyStream;
  /** Resolves when more may come. */
  push(chunk: Uint8Array): Promise<void>;
  /** The client has ended its side. */
  finish(): void;
  /** Nothing that comes is of interest any more. */
  drop(): void;
}

type Outward = Pick<SpdyStream, "write" | "end" | "reset">;

/** So much may wait to be taken before it holds up the connection. */
const READ_AHEAD = 256 * 1024;

export function spdyStream(headers: SpdyHeaders, { write, end, reset }: Outward): StreamState {
  const arrived: Uint8Array[] = [];
  let waiting = 0;
  let finished = false;
  let dropped = false;
  let ended = false;
  let wake = () => {};
  let proceed = () => {};
  const drop = () => {
    dropped = true;
    finished = true;
    arrived.length = 0;
    wake();
    proceed();
  };
  async function* chunks(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const chunk = arrived.shift();
        if (chunk !== undefined) {
          waiting -= chunk.length;
          if (waiting <= READ_AHEAD) proceed();
          yield chunk;
        } else if (finished) return;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      drop();
    }
  }
  return {
    stream: {
      headers,
      chunks: chunks(),
      write: (chunk) => (ended ? Promise.reject(new Error("the stream has ended")) : write(chunk)),
      end() {
        if (ended) return;
        ended = true;
        end();
      },
      reset() {
        ended = true;
        drop();
        reset();
      },
    },
    async push(chunk) {
      if (finished) return;
      arrived.push(chunk);
      waiting += chunk.length;
      wake();
      if (waiting > READ_AHEAD && !dropped) await new Promise<void>((resolve) => (proceed = resolve));
    },
    finish() {
      finished = true;
      wake();
    },
    drop,
  };
}
