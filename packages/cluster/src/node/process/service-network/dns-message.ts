/** The question of a DNS query. */
export interface DnsQuestion {
  readonly id: number;
  readonly name: string;
  readonly type: number;
  /** The raw question, which the response repeats. */
  readonly bytes: Buffer;
  readonly wantsRecursion: boolean;
}

export const TYPE_A = 1;
const HEADER_LENGTH = 12;
const TTL = 5;
export const RCODE_NO_ERROR = 0;
export const RCODE_NXDOMAIN = 3;

/** Parses the first question of a message; undefined for anything else. */
export function parseDnsQuestion(message: Buffer): DnsQuestion | undefined {
  if (message.length < HEADER_LENGTH + 5 || message.readUInt16BE(4) < 1 || (message[2]! & 0x80) !== 0) return undefined;
  const labels: string[] = [];
  let at = HEADER_LENGTH;
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
    bytes: message.subarray(HEADER_LENGTH, at + 5),
    wantsRecursion: (message[2]! & 1) === 1,
  };
}

/** Builds a response with addresses, or with an error code. */
export function buildDnsResponse({ id, bytes, wantsRecursion }: DnsQuestion, code: number, addresses: readonly string[]): Buffer {
  const header = Buffer.alloc(HEADER_LENGTH);
  header.writeUInt16BE(id, 0);
  header[2] = 0x84 | (wantsRecursion ? 1 : 0);
  header[3] = 0x80 | code;
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(addresses.length, 6);
  const records = addresses.map((address) => {
    const record = Buffer.alloc(16);
    // A pointer to the name in the question.
    record.writeUInt16BE(0xc000 | HEADER_LENGTH, 0);
    record.writeUInt16BE(TYPE_A, 2);
    record.writeUInt16BE(1, 4);
    record.writeUInt32BE(TTL, 6);
    record.writeUInt16BE(4, 10);
    for (const [i, part] of address.split(".").entries()) record[12 + i] = Number(part);
    return record;
  });
  return Buffer.concat([header, bytes, ...records]);
}
