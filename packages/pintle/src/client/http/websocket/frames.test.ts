import { describe, expect, it, vi } from "vitest";
import { WireError } from "../wire-error.ts";
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

  it("refuses frames that are longer than the limit when their head has come", () => {
    const decode = createFrameDecoder(1000);
    expect([...decode(encodeFrame(BINARY, Buffer.alloc(1000)))]).toHaveLength(1);
    expect(() => [...decode(encodeFrame(BINARY, Buffer.alloc(1001)).subarray(0, 8))]).toThrow(WireError);
    expect(() => [...createFrameDecoder()(bytes("82 7f 00 00 10 00 00 00 00 00"))]).toThrow("longer than");
    expect(() => [...createFrameDecoder()(encodeFrame(PING, Buffer.alloc(126)))]).toThrow("longer than 125");
  });

  it("joins the pieces of a long frame once", () => {
    const frame = encodeFrame(BINARY, Buffer.alloc(8_000_000, "x"));
    const concat = vi.spyOn(Buffer, "concat");
    const decode = createFrameDecoder();
    const frames = Array.from({ length: Math.ceil(frame.length / 1000) }, (_, n) => [...decode(frame.subarray(n * 1000, (n + 1) * 1000))]);
    expect(frames.flat().map(({ payload }) => payload.length)).toEqual([8_000_000]);
    expect(concat.mock.calls.length).toBeLessThan(3);
    concat.mockRestore();
  });
});
