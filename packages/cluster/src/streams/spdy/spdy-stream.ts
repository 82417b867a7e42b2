import type { SpdyHeaders } from "./header-block.ts";

/** A stream of a connection. */
export interface SpdyStream {
  readonly headers: SpdyHeaders;
  /** The data from the client, until it closes its side. Can be iterated once. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Resolves when more may be written; rejects if the client disconnected. */
  write(chunk: Uint8Array): Promise<void>;
  /** Closes this side. */
  end(): void;
  /** Closes both sides. */
  reset(): void;
}

export interface SpdyStreamState {
  readonly stream: SpdyStream;
  /** Resolves when the next chunk may be delivered. */
  push(chunk: Uint8Array): Promise<void>;
  /** The client closed its side. */
  endInput(): void;
  /** Discards all further data. */
  discard(): void;
}

type SpdyStreamSink = Pick<SpdyStream, "write" | "end" | "reset">;

/** The number of unread bytes above which the connection is blocked. */
const READ_AHEAD = 256 * 1024;

export function createSpdyStream(headers: SpdyHeaders, { write, end, reset }: SpdyStreamSink): SpdyStreamState {
  const buffer: Uint8Array[] = [];
  let bufferedBytes = 0;
  let isInputEnded = false;
  let isDiscarded = false;
  let isOutputEnded = false;
  let notifyReader = () => {};
  let resumeWriter = () => {};
  const discard = () => {
    isDiscarded = true;
    isInputEnded = true;
    buffer.length = 0;
    notifyReader();
    resumeWriter();
  };
  async function* chunks(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const chunk = buffer.shift();
        if (chunk !== undefined) {
          bufferedBytes -= chunk.length;
          if (bufferedBytes <= READ_AHEAD) resumeWriter();
          yield chunk;
        } else if (isInputEnded) return;
        else await new Promise<void>((resolve) => (notifyReader = resolve));
      }
    } finally {
      discard();
    }
  }
  return {
    stream: {
      headers,
      chunks: chunks(),
      write: (chunk) => (isOutputEnded ? Promise.reject(new Error("the stream is closed")) : write(chunk)),
      end() {
        if (isOutputEnded) return;
        isOutputEnded = true;
        end();
      },
      reset() {
        isOutputEnded = true;
        discard();
        reset();
      },
    },
    async push(chunk) {
      if (isInputEnded) return;
      buffer.push(chunk);
      bufferedBytes += chunk.length;
      notifyReader();
      if (bufferedBytes > READ_AHEAD && !isDiscarded) await new Promise<void>((resolve) => (resumeWriter = resolve));
    },
    endInput() {
      isInputEnded = true;
      notifyReader();
    },
    discard,
  };
}
