/** Frames of SPDY/3.1, as far as Kubernetes uses them. */
export const SYN_STREAM = 1;
export const SYN_REPLY = 2;
export const RST_STREAM = 3;
export const PING = 6;
export const GOAWAY = 7;

const CONTROL = 0x80;
const VERSION = 3;
/** The sender closes its side of the stream. */
export const FIN = 1;
/** The maximal payload of a frame. */
const MAX_FRAME_LENGTH = 0xffffff;

export type SpdyFrame =
  | { readonly type: "data"; readonly stream: number; readonly last: boolean; readonly payload: Buffer }
  | { readonly type: "control"; readonly kind: number; readonly flags: number; readonly payload: Buffer };

export function encodeDataFrame(stream: number, payload: Uint8Array, last = false): Buffer {
  if (payload.length > MAX_FRAME_LENGTH) {
    const [now, later] = [payload.subarray(0, MAX_FRAME_LENGTH), payload.subarray(MAX_FRAME_LENGTH)];
    return Buffer.concat([encodeDataFrame(stream, now), encodeDataFrame(stream, later, last)]);
  }
  const head = Buffer.alloc(8);
  head.writeUInt32BE(stream);
  head.writeUInt32BE(payload.length, 4);
  head[4] = last ? FIN : 0;
  return Buffer.concat([head, payload]);
}

export function encodeControlFrame(kind: number, ...parts: readonly (Uint8Array | number)[]): Buffer {
  const payload = Buffer.concat(parts.map((part) => (typeof part === "number" ? encodeUint32(part) : part)));
  const head = Buffer.alloc(8);
  head.writeUInt16BE((CONTROL << 8) | VERSION);
  head.writeUInt16BE(kind, 2);
  head.writeUInt32BE(payload.length, 4);
  return Buffer.concat([head, payload]);
}

function encodeUint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** Creates a reader that splits bytes into frames and buffers incomplete ones. */
export function createFrameReader() {
  let rest: Buffer = Buffer.alloc(0);
  return function* read(chunk: Buffer): Generator<SpdyFrame> {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    while (rest.length >= 8) {
      const end = 8 + (rest.readUInt32BE(4) & MAX_FRAME_LENGTH);
      if (rest.length < end) return;
      const payload = rest.subarray(8, end);
      const flags = rest[4]!;
      if ((rest[0]! & CONTROL) !== 0) yield { type: "control", kind: rest.readUInt16BE(2), flags, payload };
      else yield { type: "data", stream: rest.readUInt32BE(0), last: (flags & FIN) !== 0, payload };
      rest = rest.subarray(end);
    }
  };
}
