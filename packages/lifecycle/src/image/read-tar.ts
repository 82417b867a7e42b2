import { PintleError } from "pintle/internal/errors";

/** What an entry of an archive is. */
export type TarEntryType = "file" | "folder" | "link" | "hard link" | "device" | "fifo";

/** The header of an entry of an archive. Names are as the archive has them. */
export interface TarHeader {
  readonly path: string;
  readonly type: TarEntryType;
  readonly size: number;
  readonly mode: number;
  /** Target of a link. */
  readonly target: string;
}

/** An entry with its content, which must be read before the next entry is requested; what is left of it is skipped. */
export interface TarContent extends TarHeader {
  readonly content: AsyncIterable<Uint8Array>;
}

const BLOCK = 512;
/** Names and attributes of an entry. */
const MAX_EXTENSION_BYTES = 1 << 20;

/**
 * Reads the entries of a tar archive as a stream: ustar, pax, and the long names of GNU tar. Throws `PintleError` for an archive that is cut off
 * or damaged.
 */
export async function* readTar(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<TarContent> {
  const input = new ByteReader(chunks);
  try {
    let pax: ReadonlyMap<string, string> = new Map();
    let longName: string | undefined;
    let longTarget: string | undefined;
    for (;;) {
      const block = await input.read(BLOCK);
      if (block === undefined) return;
      // What follows is padding. It is read nevertheless: the digest of the layer covers it.
      if (block.every((byte) => byte === 0)) return await input.drain();
      const header = parseHeader(block);
      if (header.flag === "x" || header.flag === "g" || header.flag === "L" || header.flag === "K") {
        if (header.size > MAX_EXTENSION_BYTES) throw damaged(`a name or its attributes have ${header.size} bytes`);
        const data = (await input.readExactly(header.size)).toString("utf8");
        await input.skip(padding(header.size));
        if (header.flag === "x") pax = parsePax(data);
        else if (header.flag === "L") longName = cutAtNul(data);
        else if (header.flag === "K") longTarget = cutAtNul(data);
        // Global attributes ("g") are times and comments.
        continue;
      }
      if ([...pax.keys()].some((key) => key.startsWith("GNU.sparse.")) || header.flag === "S") {
        throw damaged("it has sparse files, which layers do not contain");
      }
      const paxSize = pax.get("size");
      const size = paxSize === undefined ? header.size : Number(paxSize);
      if (!Number.isSafeInteger(size) || size < 0) throw damaged(`an entry has the size ${JSON.stringify(paxSize ?? header.size)}`);
      const path = pax.get("path") ?? longName ?? header.path;
      const type = entryType(header.flag, path);
      const target = pax.get("linkpath") ?? longTarget ?? header.target;
      // Only files have content: what links and folders say about their size is wrong in some archives.
      const length = type === "file" ? size : 0;
      const content = input.readContent(length);
      yield { path, type, size: length, mode: header.mode, target, content };
      // Skips what was not read.
      for await (const _ of content);
      await input.skip(padding(length));
      pax = new Map();
      longName = undefined;
      longTarget = undefined;
    }
  } finally {
    await input.close();
  }
}

const padding = (size: number) => (BLOCK - (size % BLOCK)) % BLOCK;

function entryType(flag: string, path: string): TarEntryType {
  switch (flag) {
    case "1":
      return "hard link";
    case "2":
      return "link";
    case "3":
    case "4":
      return "device";
    case "5":
      return "folder";
    case "6":
      return "fifo";
    default:
      return path.endsWith("/") ? "folder" : "file";
  }
}

interface RawHeader {
  readonly path: string;
  readonly flag: string;
  readonly size: number;
  readonly mode: number;
  readonly target: string;
}

function parseHeader(block: Buffer): RawHeader {
  const sum = Number.parseInt(cutAtNul(block.toString("latin1", 148, 156)).trim(), 8);
  let expected = 8 * 0x20;
  for (let i = 0; i < BLOCK; i++) if (i < 148 || i >= 156) expected += block[i]!;
  if (sum !== expected) throw damaged("the checksum of a header is wrong, so it is not a tar archive");
  const isUstar = block.toString("latin1", 257, 262) === "ustar";
  const prefix = isUstar && block[262] === 0 ? readText(block, 345, 155) : "";
  const name = readText(block, 0, 100);
  return {
    path: prefix === "" ? name : `${prefix}/${name}`,
    flag: String.fromCharCode(block[156]!),
    size: readNumber(block, 124, 12),
    mode: readNumber(block, 100, 8) & 0o7777,
    target: readText(block, 157, 100),
  };
}

function readText(block: Buffer, at: number, length: number): string {
  const field = block.subarray(at, at + length);
  const end = field.indexOf(0);
  return field.toString("utf8", 0, end === -1 ? length : end);
}

/** Octal digits, or for large numbers a marked binary number. */
function readNumber(block: Buffer, at: number, length: number): number {
  const field = block.subarray(at, at + length);
  if ((field[0]! & 0x80) !== 0) {
    let value = field[0]! & 0x7f;
    for (const byte of field.subarray(1)) value = value * 256 + byte;
    if (!Number.isSafeInteger(value)) throw damaged("a number in a header is too large");
    return value;
  }
  const text = cutAtNul(field.toString("latin1")).trim();
  if (text === "") return 0;
  if (!/^[0-7]+$/.test(text)) throw damaged("a number in a header is not octal");
  return Number.parseInt(text, 8);
}

/** Parses records such as "30 path=usr/...\n", whose length is in bytes and includes itself. */
function parsePax(data: string): Map<string, string> {
  const bytes = Buffer.from(data);
  const records = new Map<string, string>();
  let at = 0;
  while (at < bytes.length) {
    const space = bytes.indexOf(0x20, at);
    const length = space === -1 ? Number.NaN : Number(bytes.toString("latin1", at, space));
    if (!Number.isSafeInteger(length) || length < 5 || at + length > bytes.length) throw damaged("a pax header cannot be parsed");
    const record = bytes.toString("utf8", space + 1, at + length - 1);
    const equals = record.indexOf("=");
    if (equals === -1) throw damaged("a pax header cannot be parsed");
    records.set(record.slice(0, equals), record.slice(equals + 1));
    at += length;
  }
  return records;
}

function cutAtNul(text: string): string {
  const end = text.indexOf("\0");
  return end === -1 ? text : text.slice(0, end);
}

function damaged(why: string): PintleError {
  return new PintleError("PINTLE8031", `the archive of a layer cannot be read: ${why}`);
}

/** Reads a stream of chunks by numbers of bytes. */
class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #current: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  async close(): Promise<void> {
    await this.#chunks.return?.();
  }

  /** The next bytes; undefined at the end. */
  async read(length: number): Promise<Buffer | undefined> {
    const first = await this.#next(length);
    if (first === undefined) return undefined;
    if (first.length === length) return first;
    return Buffer.concat([first, await this.readExactly(length - first.length)]);
  }

  async readExactly(length: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for await (const part of this.readContent(length)) parts.push(part);
    return Buffer.concat(parts);
  }

  async skip(length: number): Promise<void> {
    for await (const _ of this.readContent(length));
  }

  async drain(): Promise<void> {
    while ((await this.#next(1 << 20)) !== undefined);
  }

  /** The next bytes in pieces. Reading it again goes on where the reading stopped. */
  readContent(length: number): AsyncIterable<Buffer> {
    let left = length;
    const next = async (): Promise<IteratorResult<Buffer>> => {
      if (left === 0) return { done: true, value: undefined };
      const part = await this.#next(left);
      if (part === undefined) throw damaged("it is cut off");
      left -= part.length;
      return { done: false, value: part };
    };
    return { [Symbol.asyncIterator]: () => ({ next }) };
  }

  /** At most `length` bytes; undefined at the end. */
  async #next(length: number): Promise<Buffer | undefined> {
    while (this.#current.length === 0) {
      const { value, done } = await this.#chunks.next();
      if (done === true) return undefined;
      this.#current = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    }
    const taken = this.#current.subarray(0, length);
    this.#current = this.#current.subarray(taken.length);
    return taken;
  }
}
