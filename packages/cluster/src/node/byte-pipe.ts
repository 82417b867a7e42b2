/** A pipe of byte chunks that is iterated once. */
export interface BytePipe extends AsyncIterable<Uint8Array> {
  write(chunk: Uint8Array): void;
  end(): void;
}

export function createBytePipe(): BytePipe {
  const chunks: Uint8Array[] = [];
  let ended = false;
  let resume = () => {};
  return {
    write(chunk) {
      if (ended) return;
      chunks.push(chunk);
      resume();
    },
    end() {
      ended = true;
      resume();
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const chunk = chunks.shift();
        if (chunk !== undefined) yield chunk;
        else if (ended) return;
        else await new Promise<void>((resolve) => (resume = resolve));
      }
    },
  };
}
