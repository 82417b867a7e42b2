import { describe, expect, it } from "vitest";
import { BINARY, createFrameDecoder, encodeFrame, PING, TEXT } from "./frames.ts";

const bytes = (hex: string) => Buffer.from(hex.replaceAll(" ", ""), "hex");

// The examples of RFC 6455, section 5.7.
describe("frames", () => {
  it.each([
    ["an unmasked text", "81 05 48 65 6c 6c 6f", [{ isFinal: true, opcode: TEXT, payload: Buffer.from("Hello") }]],
    ["a masked text", "81 85 37 fa 21 3d 7f 9f 4d 51 58", [{ isFinal: true, opcode: TEXT, payload: Buffer.from("Hello") }]],
    [
      "a fragmented text",
      "01 03 48 65 6c 80 02 6c 6f",
      [
        { isFinal: false, opcode: TEXT, payload: Buffer.from("Hel") },
        { isFinal: true, opcode: 0, payload: Buffer.from("lo") },
      ],
    ],
    ["a ping", "89 05 48 65 6c 6c 6f", [{ isFinal: true, opcode: PING, payload: Buffer.from("Hello") }]],
  ])("decodes %s, at once and byte by byte", (_, hex, expected) => {
    expect([...createFrameDecoder()(bytes(hex))]).toEqual(expected);
    const decode = createFrameDecoder();
    expect([...bytes(hex)].flatMap((byte) => [...decode(Uint8Array.of(byte))])).toEqual(expected);
  });

  it("encodes masked text as in RFC 6455", () => {
    expect(encodeFrame(TEXT, Buffer.from("Hello"), bytes("37fa213d"))).toEqual(bytes("81 85 37 fa 21 3d 7f 9f 4d 51 58"));
  });

  it.each([0, 1, 125, 126, 65_535, 65_536, 200_000])("decodes what it encoded, %i bytes", (length) => {
    const payload = Buffer.alloc(length, "x");
    const [frame, ...more] = [...createFrameDecoder()(encodeFrame(BINARY, payload))];
    expect(more).toEqual([]);
    expect(frame).toMatchObject({ isFinal: true, opcode: BINARY });
    expect(frame!.payload.equals(payload)).toBe(true);
  });
});
