import { describe, expect, it } from "vitest";
import { splitLines } from "./split-lines.ts";

const cutOff = () => new Error("cut off");
async function* each(chunks: readonly Uint8Array[]) {
  yield* chunks;
}
async function all(chunks: readonly Uint8Array[]): Promise<readonly string[]> {
  const out: string[] = [];
  for await (const line of splitLines(each(chunks), cutOff)) out.push(Buffer.from(line).toString());
  return out;
}

describe("splitLines", () => {
  const text = '{"a":"äöü"}\n{"b":"🚢"}\n\r\n{"c":1}\n';
  const expected = ['{"a":"äöü"}', '{"b":"🚢"}', '{"c":1}'];

  it("yields the same lines for any chunking", async () => {
    const bytes = Buffer.from(text);
    for (let size = 1; size <= bytes.length; size++) {
      const chunks: Uint8Array[] = [];
      for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
      expect(await all(chunks), `chunks of ${size}`).toEqual(expected);
    }
  });

  it("throws for an incomplete last line", async () => {
    await expect(all([Buffer.from('{"a":1}\n{"b":')])).rejects.toThrow("cut off");
  });
});
