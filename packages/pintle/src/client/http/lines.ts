const NEWLINE = 0x0a;

/** Cuts bytes into lines as they arrive; a line may be spread over many chunks. Empty lines are left out. */
export async function* lines(chunks: AsyncIterable<Uint8Array>, cutOff: () => Error): AsyncGenerator<Uint8Array> {
  let begun: Uint8Array[] = [];
  for await (const chunk of chunks) {
    let at = 0;
    for (;;) {
      const end = chunk.indexOf(NEWLINE, at);
      if (end === -1) break;
      begun.push(chunk.subarray(at, end));
      const line = joined(begun);
      begun = [];
      at = end + 1;
      if (!isBlank(line)) yield line;
    }
    if (at < chunk.length) begun.push(chunk.subarray(at));
  }
  if (!isBlank(joined(begun))) throw cutOff();
}

export function joined(chunks: readonly Uint8Array[]): Uint8Array {
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
}

function isBlank(line: Uint8Array): boolean {
  return line.every((byte) => byte === 0x20 || byte === 0x0d);
}
