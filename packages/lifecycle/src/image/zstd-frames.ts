import { PintleError } from "pintle/internal/errors";

/** The largest window that the zstd program decompresses without an option. */
const MAX_WINDOW = 128 << 20;
const MAGIC = 0xfd2fb528;
const SKIPPABLE_MAGIC = 0x184d2a50;
const MAX_HEADER = 18;

/**
 * Follows the frames of zstd data without decompressing them, and refuses a frame that asks for more memory than `maxWindow` before a
 * decompressor allocates it.
 */
export class ZstdFrameGuard {
  readonly #maxWindow: number;
  #header = Buffer.alloc(0);
  #state: "header" | "block" | "checksum" | "skip" = "header";
  #skip = 0;
  #hasChecksum = false;
  #isLast = false;

  constructor(maxWindow = MAX_WINDOW) {
    this.#maxWindow = maxWindow;
  }

  /** Whether the data so far ends with a complete frame. */
  get isComplete(): boolean {
    return this.#state === "header" && this.#header.length === 0;
  }

  push(chunk: Uint8Array): void {
    let rest = chunk;
    while (rest.length > 0) {
      if (this.#skip > 0) {
        const length = Math.min(this.#skip, rest.length);
        this.#skip -= length;
        rest = rest.subarray(length);
        if (this.#skip === 0) this.#endSkip();
        continue;
      }
      const before = this.#header.length;
      const wanted = this.#state === "block" ? 3 : MAX_HEADER;
      this.#header = Buffer.concat([this.#header, rest.subarray(0, wanted - before)]);
      const used = this.#state === "block" ? this.#readBlock() : this.#readHeader();
      if (used === undefined) {
        rest = rest.subarray(this.#header.length - before);
        continue;
      }
      this.#header = Buffer.alloc(0);
      // What was taken from the chunk beyond the header is read again.
      rest = rest.subarray(used - before);
      if (this.#skip === 0 && this.#state !== "block") this.#endSkip();
      else if (this.#skip === 0 && this.#isLast) this.#endSkip();
    }
  }

  #endSkip(): void {
    if (this.#state === "block" && this.#isLast && this.#hasChecksum) {
      this.#state = "checksum";
      this.#skip = 4;
    } else if (this.#state !== "block" || this.#isLast) {
      this.#state = "header";
      this.#isLast = false;
    }
  }

  #readBlock(): number | undefined {
    if (this.#header.length < 3) return undefined;
    const value = this.#header.readUIntLE(0, 3);
    this.#isLast = (value & 1) === 1;
    const type = (value >> 1) & 3;
    // A block of equal bytes has one byte, whatever its size.
    this.#skip = type === 1 ? 1 : value >> 3;
    return 3;
  }

  #readHeader(): number | undefined {
    const bytes = this.#header;
    if (bytes.length < 5) return undefined;
    const magic = bytes.readUInt32LE(0);
    if ((magic & 0xfffffff0) >>> 0 === SKIPPABLE_MAGIC) {
      if (bytes.length < 8) return undefined;
      this.#state = "skip";
      this.#skip = bytes.readUInt32LE(4);
      return 8;
    }
    if (magic !== MAGIC) throw new PintleError("PINTLE8031", "the layer is not valid zstd: a frame does not start with its magic number");
    const descriptor = bytes[4]!;
    const isSingleSegment = (descriptor & 0x20) !== 0;
    const dictionaryBytes = [0, 1, 2, 4][descriptor & 3]!;
    const sizeFlag = descriptor >> 6;
    const sizeBytes = sizeFlag === 0 ? (isSingleSegment ? 1 : 0) : 1 << sizeFlag;
    const length = 5 + (isSingleSegment ? 0 : 1) + dictionaryBytes + sizeBytes;
    if (bytes.length < length) return undefined;
    const window = isSingleSegment ? readSize(bytes.subarray(length - sizeBytes, length)) : readWindow(bytes[5]!);
    if (window > this.#maxWindow) {
      throw new PintleError(
        "PINTLE8031",
        `the layer asks for ${Math.ceil(window / (1 << 20))} MiB of memory to be decompressed, which is more than ${this.#maxWindow >> 20} MiB${this.#maxWindow < MAX_WINDOW ? " (128 MiB with Node 22.15 or newer)" : ""}`,
      );
    }
    this.#hasChecksum = (descriptor & 4) !== 0;
    this.#state = "block";
    this.#isLast = false;
    return length;
  }
}

function readSize(bytes: Uint8Array): number {
  // Of two bytes, the size is 256 more than what they say; that makes no difference here.
  return bytes.reduceRight((size, byte) => size * 256 + byte, 0);
}

function readWindow(descriptor: number): number {
  const base = 2 ** (10 + (descriptor >> 3));
  return base + (base / 8) * (descriptor & 7);
}
