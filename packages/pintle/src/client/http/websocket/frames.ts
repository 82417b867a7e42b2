import { randomFillSync } from "node:crypto";
import { WireError } from "../wire-error.ts";

/** A WebSocket frame (RFC 6455). */
export interface Frame {
  readonly isFinal: boolean;
  readonly opcode: number;
  readonly payload: Buffer;
}

export const CONTINUATION = 0x0;
export const TEXT = 0x1;
export const BINARY = 0x2;
export const CLOSE = 0x8;
export const PING = 0x9;
export const PONG = 0xa;

const LENGTH_16 = 126;
const LENGTH_64 = 127;

/** Encodes a frame with the mask that clients must use. */
export function encodeFrame(opcode: number, payload: Uint8Array, mask: Buffer = randomFillSync(Buffer.allocUnsafe(4))): Buffer {
  const { length } = payload;
  const extra = length < LENGTH_16 ? 0 : length < 0x10000 ? 2 : 8;
  const frame = Buffer.allocUnsafe(6 + extra + length);
  frame[0] = 0x80 | opcode;
  frame[1] = 0x80 | (extra === 0 ? length : extra === 2 ? LENGTH_16 : LENGTH_64);
  if (extra === 2) frame.writeUInt16BE(length, 2);
  if (extra === 8) frame.writeBigUInt64BE(BigInt(length), 2);
  mask.copy(frame, 2 + extra);
  const start = 6 + extra;
  for (let i = 0; i < length; i++) frame[start + i] = payload[i]! ^ mask[i & 3]!;
  return frame;
}

/** The longest message, of one frame or several, that a peer may send: servers send pieces of some ten kilobytes. */
export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
/** The limit of RFC 6455 for frames that are not messages. */
const MAX_CONTROL_BYTES = 125;

/** Returns a decoder that splits received bytes into frames and buffers an incomplete one. Throws `WireError`. */
export function createFrameDecoder(maxBytes = MAX_MESSAGE_BYTES) {
  let chunks: Buffer[] = [];
  let bytes = 0;
  let needed = 0;
  return function* decode(chunk: Uint8Array): Generator<Frame> {
    chunks.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    bytes += chunk.byteLength;
    // Chunks of a long frame are joined once, when all have come.
    if (bytes < needed) return;
    let rest = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
    needed = 0;
    for (;;) {
      const head = parseFrameHeader(rest);
      if (head !== undefined) checkLength(head, maxBytes);
      const end = head === undefined ? 0 : head.start + head.length;
      if (head === undefined || rest.length < end) {
        chunks = [rest];
        bytes = rest.length;
        needed = end;
        return;
      }
      const payload = Buffer.from(rest.subarray(head.start, end));
      if (head.mask !== undefined) for (let i = 0; i < payload.length; i++) payload[i]! ^= head.mask[i & 3]!;
      rest = rest.subarray(end);
      yield { isFinal: head.isFinal, opcode: head.opcode, payload };
    }
  };
}

function checkLength({ opcode, length }: { readonly opcode: number; readonly length: number }, maxBytes: number): void {
  const limit = opcode >= CLOSE ? MAX_CONTROL_BYTES : maxBytes;
  if (length > limit) throw new WireError("MALFORMED", `a frame of ${length} bytes is longer than ${limit}`);
}

function parseFrameHeader(bytes: Buffer) {
  if (bytes.length < 2) return undefined;
  const short = bytes[1]! & 0x7f;
  const extra = short === LENGTH_16 ? 2 : short === LENGTH_64 ? 8 : 0;
  const masked = (bytes[1]! & 0x80) !== 0;
  const start = 2 + extra + (masked ? 4 : 0);
  if (bytes.length < start) return undefined;
  const length = extra === 0 ? short : extra === 2 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
  return {
    isFinal: (bytes[0]! & 0x80) !== 0,
    opcode: bytes[0]! & 0x0f,
    length,
    start,
    mask: masked ? bytes.subarray(start - 4, start) : undefined,
  };
}
