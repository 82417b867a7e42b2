/** A question somebody asks about a name. */
export interface Question {
  readonly id: number;
  readonly name: string;
  readonly type: number;
  /** The question as it came, to be repeated in the answer. */
  readonly bytes: Buffer;
  readonly wantsRecursion: boolean;
}

export const A = 1;
const HEADER = 12;
const TTL = 5;
export const NO_ERROR = 0;
export const NO_SUCH_NAME = 3;

/** Reads the first question of a message; undefined for anything else. */
export function question(message: Buffer): Question | undefined {
  if (message.length < HEADER + 5 || message.readUInt16BE(4) < 1 || (message[2]! & 0x80) !== 0) return undefined;
  const labels: string[] = [];
  let at = HEADER;
  for (let length = message[at]; length !== undefined && length > 0; length = message[at]) {
    if (length > 63 || at + 1 + length > message.length) return undefined;
    labels.push(message.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  if (at + 5 > message.length) return undefined;
  return {
    id: message.readUInt16BE(0),
    name: labels.join(".").toLowerCase(),
    type: message.readUInt16BE(at + 1),
    bytes: message.subarray(HEADER, at + 5),
    wantsRecursion: (message[2]! & 1) === 1,
  };
}

/** The answer: addresses, or a code that says why there are none. */
export function answer({ id, bytes, wantsRecursion }: Question, code: number, addresses: readonly string[]): Buffer {
  const header = Buffer.alloc(HEADER);
  header.writeUInt16BE(id, 0);
  header[2] = 0x84 | (wantsRecursion ? 1 : 0);
  header[3] = 0x80 | code;
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(addresses.length, 6);
  const records = addresses.map((address) => {
    const record = Buffer.alloc(16);
    // The name is the one of the question.
    record.writeUInt16BE(0xc000 | HEADER, 0);
    record.writeUInt16BE(A, 2);
    record.writeUInt16BE(1, 4);
    record.writeUInt32BE(TTL, 6);
    record.writeUInt16BE(4, 10);
    for (const [i, part] of address.split(".").entries()) record[12 + i] = Number(part);
    return record;
  });
  return Buffer.concat([header, bytes, ...records]);
}
