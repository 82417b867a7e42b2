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

/** The longest frames that are accepted. Clients of exec and port-forward send some 32 KB at a time, and few headers. */
const MAX_DATA_BYTES = 4 * 1024 * 1024;
const MAX_CONTROL_BYTES = 64 * 1024;
const HEAD_BYTES = 8;

/** Creates a reader that splits bytes into frames and buffers an incomplete one, whose bytes are copied once. Throws at a frame that is too long. */
export function createFrameReader() {
  let chunks: Buffer[] = [];
  let length = 0;
  /** Bytes that complete the next frame, or its head. */
  let needed = HEAD_BYTES;
  return function* read(chunk: Buffer): Generator<SpdyFrame> {
    chunks.push(chunk);
    length += chunk.length;
    if (length < needed) return;
    let rest = chunks.length === 1 ? chunk : Buffer.concat(chunks, length);
    for (;;) {
      needed = rest.length < HEAD_BYTES ? HEAD_BYTES : getFrameLength(rest);
      if (rest.length < needed) break;
      const payload = rest.subarray(HEAD_BYTES, needed);
      const flags = rest[4]!;
      if ((rest[0]! & CONTROL) !== 0) yield { type: "control", kind: rest.readUInt16BE(2), flags, payload };
      else yield { type: "data", stream: rest.readUInt32BE(0), last: (flags & FIN) !== 0, payload };
      rest = rest.subarray(needed);
    }
    chunks = rest.length === 0 ? [] : [rest];
    length = rest.length;
  };
}

function getFrameLength(head: Buffer): number {
  const length = head.readUInt32BE(4) & MAX_FRAME_LENGTH;
  if (length > ((head[0]! & CONTROL) !== 0 ? MAX_CONTROL_BYTES : MAX_DATA_BYTES)) throw new Error(`a frame of ${length} bytes is too long`);
  return HEAD_BYTES + length;
}
