/** Bytes from one who writes to one who iterates, once. */
export interface BytePipe extends AsyncIterable<Uint8Array> {
  write(chunk: Uint8Array): void;
  end(): void;
}

export function bytePipe(): BytePipe {
  const chunks: Uint8Array[] = [];
  let ended = false;
  let wake = () => {};
  return {
    write(chunk) {
      if (ended) return;
      chunks.push(chunk);
      wake();
    },
    end() {
      ended = true;
      wake();
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const chunk = chunks.shift();
        if (chunk !== undefined) yield chunk;
        else if (ended) return;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
}
