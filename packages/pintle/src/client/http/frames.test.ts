import { describe, expect, it } from "vitest";
import { BINARY, encodeFrame, frameDecoder, PING, TEXT } from "./frames.ts";

const bytes = (hex: string) => Buffer.from(hex.replaceAll(" ", ""), "hex");

// The examples of RFC 6455, section 5.7.
describe("frames", () => {
  it.each([
    ["an unmasked text", "81 05 48 65 6c 6c 6f", [{ last: true, opcode: TEXT, payload: Buffer.from("Hello") }]],
    ["a masked text", "81 85 37 fa 21 3d 7f 9f 4d 51 58", [{ last: true, opcode: TEXT, payload: Buffer.from("Hello") }]],
    [
      "a fragmented text",
      "01 03 48 65 6c 80 02 6c 6f",
      [
        { last: false, opcode: TEXT, payload: Buffer.from("Hel") },
        { last: true, opcode: 0, payload: Buffer.from("lo") },
      ],
    ],
    ["a ping", "89 05 48 65 6c 6c 6f", [{ last: true, opcode: PING, payload: Buffer.from("Hello") }]],
  ])("reads %s, whole and byte by byte", (_, hex, expected) => {
    expect([...frameDecoder()(bytes(hex))]).toEqual(expected);
    const decode = frameDecoder();
    expect([...bytes(hex)].flatMap((byte) => [...decode(Uint8Array.of(byte))])).toEqual(expected);
  });

  it("writes masked text as the RFC does", () => {
    expect(encodeFrame(TEXT, Buffer.from("Hello"), bytes("37fa213d"))).toEqual(bytes("81 85 37 fa 21 3d 7f 9f 4d 51 58"));
  });

  it.each([0, 1, 125, 126, 65_535, 65_536, 200_000])("reads what it wrote, %i bytes", (length) => {
    const payload = Buffer.alloc(length, "x");
    const [frame, ...more] = [...frameDecoder()(encodeFrame(BINARY, payload))];
    expect(more).toEqual([]);
    expect(frame).toMatchObject({ last: true, opcode: BINARY });
    expect(frame!.payload.equals(payload)).toBe(true);
  });
});
