import type { Io } from "../command/index.ts";

/** Wraps an `Io` so that its output can be buffered: `hold` starts buffering, `release` writes the buffer in order. */
export function createBufferedIo(io: Io): { readonly io: Io; hold(): void; release(): void } {
  let buffer: (() => void)[] | undefined;
  const bufferWhilePaused = (write: (text: string) => void) => (text: string) => {
    if (buffer === undefined) write(text);
    else buffer.push(() => write(text));
  };
  return {
    io: { ...io, out: bufferWhilePaused(io.out), err: bufferWhilePaused(io.err) },
    hold() {
      buffer ??= [];
    },
    release() {
      const waiting = buffer ?? [];
      buffer = undefined;
      for (const write of waiting) write();
    },
  };
}
