const FINAL = 0x80;
const TEXT = 1;
const CLOSE = 8;
const NORMAL_CLOSURE = 1000;

export function textFrame(text: string): Buffer {
  const payload = Buffer.from(text);
  return Buffer.concat([head(TEXT, payload.length), payload]);
}

export function closeFrame(): Buffer {
  const payload = Buffer.alloc(2);
  payload.writeUInt16BE(NORMAL_CLOSURE);
  return Buffer.concat([head(CLOSE, payload.length), payload]);
}

/** Servers do not mask what they send. */
function head(opcode: number, length: number): Buffer {
  if (length < 126) return Buffer.from([FINAL | opcode, length]);
  const long = length > 0xffff;
  const bytes = Buffer.alloc(long ? 10 : 4);
  bytes[0] = FINAL | opcode;
  bytes[1] = long ? 127 : 126;
  if (long) bytes.writeBigUInt64BE(BigInt(length), 2);
  else bytes.writeUInt16BE(length, 2);
  return bytes;
}

/** Whether the bytes of a client begin with its goodbye. It has nothing else to say to a watch. */
export function isClose(bytes: Buffer): boolean {
  return bytes.length > 0 && ((bytes[0] as number) & 0xf) === CLOSE;
}
