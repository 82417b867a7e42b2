/** One frame of RFC 6455. */
export interface WebSocketFrame {
  readonly last: boolean;
  readonly opcode: number;
  readonly payload: Buffer;
}

export const CONTINUATION = 0;
export const TEXT = 1;
export const BINARY = 2;
export const CLOSE = 8;
export const PING = 9;
export const PONG = 10;

const FINAL = 0x80;
const MASKED = 0x80;
const NORMAL_CLOSURE = 1000;
/** The longest frame, and the longest message of several frames, that is accepted. Clients of exec and port-forward send some 32 KB at a time. */
export const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;
/** Of control frames, by RFC 6455. */
const MAX_CONTROL_BYTES = 125;
/** Length and mask included. */
const MAX_HEAD_BYTES = 14;

export function encodeTextFrame(text: string): Buffer {
  return encodeFrame(TEXT, Buffer.from(text));
}

export function encodeCloseFrame(): Buffer {
  const payload = Buffer.alloc(2);
  payload.writeUInt16BE(NORMAL_CLOSURE);
  return encodeFrame(CLOSE, payload);
}

export function encodeFrame(opcode: number, payload: Uint8Array): Buffer {
  return Buffer.concat([encodeFrameHead(opcode, payload.length), payload]);
}

/** Servers do not mask frames. */
function encodeFrameHead(opcode: number, length: number): Buffer {
  if (length < 126) return Buffer.from([FINAL | opcode, length]);
  const long = length > 0xffff;
  const bytes = Buffer.alloc(long ? 10 : 4);
  bytes[0] = FINAL | opcode;
  bytes[1] = long ? 127 : 126;
  if (long) bytes.writeBigUInt64BE(BigInt(length), 2);
  else bytes.writeUInt16BE(length, 2);
  return bytes;
}

/** Whether the bytes start with a close frame, the only frame that a client sends to a watch. */
export function startsWithCloseFrame(bytes: Buffer): boolean {
  return bytes.length > 0 && ((bytes[0] as number) & 0xf) === CLOSE;
}

/**
 * Creates a reader that splits chunks into unmasked frames and keeps an incomplete frame, whose bytes are copied once. Throws at a frame that
 * is too long.
 */
export function createFrameReader() {
  let chunks: Buffer[] = [];
  let length = 0;
  /** Bytes that complete the next frame, or its head. */
  let needed = 2;
  return function* read(chunk: Buffer): Generator<WebSocketFrame> {
    chunks.push(chunk);
    length += chunk.length;
    if (length < needed) return;
    let rest = chunks.length === 1 ? chunk : Buffer.concat(chunks, length);
    for (;;) {
      const head = decodeFrameHead(rest);
      needed = head === undefined ? Math.min(rest.length + 1, MAX_HEAD_BYTES) : head.start + head.length;
      if (head === undefined || rest.length < needed) break;
      const { last, opcode, start, mask } = head;
      const payload = Buffer.from(rest.subarray(start, needed));
      if (mask !== undefined) for (let at = 0; at < payload.length; at++) payload[at]! ^= mask[at & 3]!;
      rest = rest.subarray(needed);
      yield { last, opcode, payload };
    }
    chunks = rest.length === 0 ? [] : [rest];
    length = rest.length;
  };
}

function decodeFrameHead(bytes: Buffer) {
  if (bytes.length < 2) return undefined;
  const short = bytes[1]! & 0x7f;
  const extra = short === 126 ? 2 : short === 127 ? 8 : 0;
  const masked = (bytes[1]! & MASKED) !== 0;
  const start = 2 + extra + (masked ? 4 : 0);
  if (bytes.length < start) return undefined;
  const length = extra === 0 ? short : extra === 2 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
  const opcode = bytes[0]! & 0xf;
  const limit = opcode >= CLOSE ? MAX_CONTROL_BYTES : MAX_MESSAGE_BYTES;
  if (length > limit) throw new Error(`a frame of ${length} bytes is too long`);
  const mask = masked ? bytes.subarray(start - 4, start) : undefined;
  return { last: (bytes[0]! & FINAL) !== 0, opcode, start, length, mask };
}
