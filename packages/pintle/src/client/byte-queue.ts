/** Bytes from someone who pushes to someone who iterates, once. */
export interface ByteQueue extends AsyncIterable<Uint8Array> {
  push(chunk: Uint8Array): void;
  end(): void;
  fail(error: unknown): void;
}

export function byteQueue(): ByteQueue {
  const chunks: Uint8Array[] = [];
  let over: { readonly error?: unknown } | undefined;
  let wake: (() => void) | undefined;
  const notify = () => {
    wake?.();
    wake = undefined;
  };
  return {
    push(chunk) {
      chunks.push(chunk);
      notify();
    },
    end() {
      over ??= {};
      notify();
    },
    fail(error) {
      over ??= { error };
      notify();
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const chunk = chunks.shift();
        if (chunk !== undefined) yield chunk;
        else if (over === undefined) await new Promise<void>((resolve) => (wake = resolve));
        else if ("error" in over) throw over.error;
        else return;
      }
    },
  };
}
