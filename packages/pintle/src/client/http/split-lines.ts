const NEWLINE = 0x0a;

/** Splits chunks into lines. A line may span many chunks; blank lines are skipped. Throws the given error if the last line is incomplete. */
export async function* splitLines(chunks: AsyncIterable<Uint8Array>, incompleteLine: () => Error): AsyncGenerator<Uint8Array> {
  let begun: Uint8Array[] = [];
  for await (const chunk of chunks) {
    let at = 0;
    for (;;) {
      const end = chunk.indexOf(NEWLINE, at);
      if (end === -1) break;
      begun.push(chunk.subarray(at, end));
      const line = concatChunks(begun);
      begun = [];
      at = end + 1;
      if (!isBlank(line)) yield line;
    }
    if (at < chunk.length) begun.push(chunk.subarray(at));
  }
  if (!isBlank(concatChunks(begun))) throw incompleteLine();
}

/** Concatenates chunks; a single chunk is returned without a copy. */
export function concatChunks(chunks: readonly Uint8Array[]): Uint8Array {
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
}

function isBlank(line: Uint8Array): boolean {
  return line.every((byte) => byte === 0x20 || byte === 0x0d);
}
