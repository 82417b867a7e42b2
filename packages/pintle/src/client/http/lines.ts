const NEWLINE = 0x0a;

/** Cuts bytes into lines as they arrive; a line may be spread over many chunks. Gives the text of each complete line. */
export async function* lines(chunks: AsyncIterable<Uint8Array>, cutOff: () => Error): AsyncGenerator<string> {
  let begun: Uint8Array[] = [];
  for await (const chunk of chunks) {
    let at = 0;
    for (;;) {
      const end = chunk.indexOf(NEWLINE, at);
      if (end === -1) break;
      begun.push(chunk.subarray(at, end));
      const line = textOf(begun);
      begun = [];
      at = end + 1;
      if (line.trim() !== "") yield line;
    }
    if (at < chunk.length) begun.push(chunk.subarray(at));
  }
  if (textOf(begun).trim() !== "") throw cutOff();
}

export function textOf(chunks: readonly Uint8Array[]): string {
  const [only] = chunks;
  if (only === undefined) return "";
  const whole = chunks.length === 1 ? Buffer.from(only.buffer, only.byteOffset, only.byteLength) : Buffer.concat(chunks);
  return whole.toString("utf8");
}
