/** How long to wait for the first chunk of a followed log before the response starts. Milliseconds. */
const FIRST_CHUNK_TIMEOUT = 1000;

/**
 * Waits for the first chunk, or the timeout, and returns the same chunks. Rejects with an error that occurs before, so that it can still be
 * sent as a response status.
 */
export async function waitForFirstChunk(chunks: AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array>> {
  const iterator = chunks[Symbol.asyncIterator]();
  const first = iterator.next();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, FIRST_CHUNK_TIMEOUT);
    timer.unref();
  });
  try {
    await Promise.race([first, timeout]);
  } finally {
    clearTimeout(timer);
  }
  return (async function* () {
    try {
      for (let next = await first; !next.done; next = await iterator.next()) yield next.value;
    } finally {
      await iterator.return?.();
    }
  })();
}
