import { PintleError } from "pintle/internal/errors";
import { parseJson } from "pintle/internal/json";
import { parseYamlDocument } from "../yaml/index.ts";
import { type Meta, readMeta } from "./blobs.ts";

/** A blob, and where its text is in its file. */
export interface LocatedMeta {
  readonly meta: Meta;
  readonly offset: number;
  readonly length: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET, NEWLINE] = [0x7b, 0x7d, 0x5b, 0x5d, 0x0a];
const SEPARATOR = Buffer.from("---");
const SEPARATOR_LINE = Buffer.from("\n---");
/** Far more than Kubernetes stores of a bundle: larger blobs would take gigabytes to parse. */
const MAX_BLOB_BYTES = 64 << 20;

/**
 * Reads the blobs of one file of a catalog, a stream of JSON values or of YAML documents, from chunks of any size. Only the text of one blob is
 * kept at a time, so the size of a file does not matter. As in operator-registry, a file that starts like JSON but is not JSON is read as YAML.
 */
export class MetaReader {
  /** What is not yet consumed; its first byte is at `#offset` in the file. */
  #pending: Buffer = Buffer.alloc(0);
  #offset = 0;
  #count = 0;
  #format: "json" | "yaml" | undefined;
  /** The memory that `#pending` is the filled part of, where chunks were joined. It doubles, so that large blobs take linear time. */
  #joined: Buffer = Buffer.alloc(0);
  /** How far the end of the blob was searched, from the start of `#pending`. */
  #scanned = 0;
  #depth = 0;
  #inString = false;

  /** Where the next blob starts; after an error the one that cannot be read. */
  get offset(): number {
    return this.#offset;
  }

  /** Adds the next bytes of the file, and returns the blobs that are complete with them. */
  *push(chunk: Buffer): Generator<LocatedMeta> {
    this.#pending = this.#pending.length === 0 ? chunk : this.#join(chunk);
    yield* this.#read(false);
    if (this.#pending.length > MAX_BLOB_BYTES) throw invalidFile(`a blob has more than ${MAX_BLOB_BYTES >> 20} MiB`);
  }

  #join(chunk: Buffer): Buffer {
    const pending = this.#pending;
    const used = pending.buffer === this.#joined.buffer ? pending.byteOffset - this.#joined.byteOffset + pending.length : -1;
    if (used === -1 || used + chunk.length > this.#joined.length) {
      this.#joined = Buffer.allocUnsafeSlow(2 * (pending.length + chunk.length));
      pending.copy(this.#joined);
      chunk.copy(this.#joined, pending.length);
      return this.#joined.subarray(0, pending.length + chunk.length);
    }
    chunk.copy(this.#joined, used);
    return this.#joined.subarray(used - pending.length, used + chunk.length);
  }

  /** Says that the file ends, and returns its last blobs. */
  *end(): Generator<LocatedMeta> {
    yield* this.#read(true);
  }

  *#read(isEnd: boolean): Generator<LocatedMeta> {
    if (this.#format === undefined) {
      while (this.#scanned < this.#pending.length && isSpace(this.#pending[this.#scanned]!)) this.#scanned++;
      if (this.#scanned === this.#pending.length) return;
      this.#format = this.#pending[this.#scanned] === OPEN_BRACE ? "json" : "yaml";
      this.#scanned = 0;
    }
    if (this.#format === "json") yield* this.#readJson(isEnd);
    if (this.#format === "yaml") yield* this.#readYaml(isEnd);
  }

  *#readJson(isEnd: boolean): Generator<LocatedMeta> {
    while (true) {
      const start = this.#scanned === 0 ? this.#pending.findIndex((byte) => !isSpace(byte)) : 0;
      if (start === -1) return this.#consume(this.#pending.length);
      this.#consume(start);
      const end = this.#findValueEnd();
      if (end === -1 && !isEnd) return;
      let value: unknown;
      try {
        value = parseJson(this.#pending.subarray(0, end === -1 ? this.#pending.length : end));
      } catch (error) {
        if (this.#count > 1) throw invalidFile(`json: offset ${this.#offset}: ${messageOf(error)}`);
        this.#format = "yaml";
        this.#scanned = 0;
        return;
      }
      yield this.#take(value, end === -1 ? this.#pending.length : end);
    }
  }

  /** The end of the JSON value at the start of what is pending; -1 if it is not complete. */
  #findValueEnd(): number {
    const bytes = this.#pending;
    for (let at = this.#scanned; at < bytes.length; at++) {
      const byte = bytes[at]!;
      if (this.#inString) {
        if (byte === BACKSLASH) at++;
        else if (byte === QUOTE) this.#inString = false;
      } else if (byte === QUOTE) this.#inString = true;
      else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) this.#depth++;
      else if ((byte === CLOSE_BRACE || byte === CLOSE_BRACKET) && --this.#depth <= 0) return at + 1;
      else if (this.#depth === 0 && isSpace(byte)) return at;
    }
    // A backslash may be the last byte: the byte that it escapes is then skipped with the next chunk.
    this.#scanned = endsInsideEscape(bytes) && this.#inString ? bytes.length - 1 : bytes.length;
    return -1;
  }

  *#readYaml(isEnd: boolean): Generator<LocatedMeta> {
    while (this.#pending.length > 0) {
      const separator = this.#findSeparator(isEnd);
      if (separator === undefined && !isEnd) return;
      const end = separator?.start ?? this.#pending.length;
      yield this.#take(parseYaml(this.#pending.subarray(0, end).toString("utf8")), end);
      if (separator !== undefined) this.#consume(separator.end - end);
    }
  }

  /** The next line that starts with `---`; not the first line, which starts a document instead of ending one. */
  #findSeparator(isEnd: boolean): { readonly start: number; readonly end: number } | undefined {
    const bytes = this.#pending;
    if (this.#scanned === 0 && bytes.subarray(0, SEPARATOR.length).equals(SEPARATOR)) {
      const end = findLineEnd(bytes, 0, isEnd);
      if (end === undefined) return undefined;
      checkSeparator(bytes.subarray(SEPARATOR.length, end));
    }
    const start = bytes.indexOf(SEPARATOR_LINE, this.#scanned) + 1;
    if (start === 0) {
      // The newline and two dashes may be its last bytes; the first line is looked at again until it is complete.
      this.#scanned = Math.max(0, bytes.length - SEPARATOR.length);
      return undefined;
    }
    const end = findLineEnd(bytes, start, isEnd);
    if (end === undefined) return undefined;
    checkSeparator(bytes.subarray(start + SEPARATOR.length, end));
    return { start, end };
  }

  #take(value: unknown, length: number): LocatedMeta {
    const offset = this.#offset;
    const meta = this.#format === "json" ? readMeta(value) : readYamlMeta(value);
    this.#count++;
    this.#consume(length);
    return { meta, offset, length };
  }

  #consume(length: number): void {
    this.#pending = this.#pending.subarray(length);
    this.#offset += length;
    if (length === 0) return;
    this.#scanned = 0;
    this.#depth = 0;
    this.#inString = false;
  }
}

/** Behind the newline; undefined if that is not there yet. */
function findLineEnd(bytes: Buffer, start: number, isEnd: boolean): number | undefined {
  const newline = bytes.indexOf(NEWLINE, start);
  if (newline !== -1) return newline + 1;
  return isEnd ? bytes.length : undefined;
}

function checkSeparator(bytes: Buffer): void {
  const rest = bytes.toString("utf8").trim();
  if (rest !== "" && !rest.startsWith("#")) throw invalidFile(`invalid Yaml document separator: ${rest}`);
}

function parseYaml(text: string): unknown {
  try {
    return parseYamlDocument(text);
  } catch (error) {
    throw invalidFile(`error converting YAML to JSON: yaml: ${messageOf(error)}`);
  }
}

function readYamlMeta(value: unknown): Meta {
  try {
    const meta = readMeta(value);
    return meta.value === null ? { ...meta, value: undefined } : meta;
  } catch (error) {
    throw invalidFile(`error unmarshaling JSON: while decoding JSON: ${messageOf(error)}`);
  }
}

function endsInsideEscape(bytes: Buffer): boolean {
  let count = 0;
  while (count < bytes.length && bytes[bytes.length - 1 - count] === BACKSLASH) count++;
  return count % 2 === 1;
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function invalidFile(message: string): PintleError {
  return new PintleError("PINTLE8011", message);
}
