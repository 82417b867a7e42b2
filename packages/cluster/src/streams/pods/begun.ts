/** How long somebody who follows waits for the first word before being told that the log stands. */
const PATIENCE = 1000;

/**
 * The same chunks, when the first is there, or when it takes long: what goes wrong before can still be told as it should be.
 * Rejects with that.
 */
export async function begun(chunks: AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array>> {
  const parts = chunks[Symbol.asyncIterator]();
  const first = parts.next();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, PATIENCE);
    timer.unref();
  });
  try {
    await Promise.race([first, patience]);
  } finally {
    clearTimeout(timer);
  }
  return (async function* () {
    try {
      for (let next = await first; !next.done; next = await parts.next()) yield next.value;
    } finally {
      await parts.return?.();
    }
  })();
}
