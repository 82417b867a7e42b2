import type { JsonObject } from "pintle/kinds";
import type { StoreEntry } from "../store.ts";
import { parseStoredJson } from "../value-json.ts";
import { deepFreeze } from "./freeze.ts";
import { layoutValue, type ValueLayout } from "./value-layout.ts";

/** Size of a slab that values share; a large value gets a buffer of its own. */
const SLAB_BYTES = 256 * 1024;
const LARGE_VALUE_BYTES = SLAB_BYTES / 4;
/** Slabs may exceed twice the live bytes by this number before compaction. */
const SPARE_SLABS = 16;
/** Bytes of JSON whose decoded values may stay cached; about half of it is retained. */
const CACHED_READ_BYTES = 16 * 1024 * 1024;
/** Bytes of JSON whose values are cached from the start: a server reads its initial objects, and small clusters are read over and over. */
const INITIALLY_CACHED_BYTES = 1024 * 1024;
const NEWLINE = 0x0a;

interface Slab {
  readonly bytes: Buffer;
  usedBytes: number;
  readonly entries: ArenaEntry[];
}

/**
 * Off-heap value arena: holds the values of one store as JSON bytes in slabs outside of the V8 heap. Garbage collection visits every
 * object on the heap, and a decoded value is dozens of objects; bytes here cost it nothing. Values are decoded on demand, and recently
 * read ones stay cached.
 */
export class ValueArena {
  #head = createSlab();
  /** All slabs, oldest first. */
  readonly #slabs = [this.#head];
  /** Bytes in slabs of current and historical values. */
  #liveBytes = 0;
  #readGeneration = 0;
  #readBytes = 0;
  #currentReads: ArenaEntry[] = [];
  #previousReads: ArenaEntry[] = [];

  /** Encodes a value, which is frozen and carries its resourceVersion. */
  add(key: string, revision: number, value: JsonObject, attachment: object | undefined): ArenaEntry {
    const written = layoutValue(value);
    const entry = new ArenaEntry(this, key, revision, written);
    entry.attachment = attachment;
    this.#allocate(entry);
    entry.writeJson(written.json);
    if (this.#readGeneration === 0 && this.#readBytes < INITIALLY_CACHED_BYTES) entry.cacheValue(value);
    this.#compactSlabs();
    return entry;
  }

  /** The key has a newer value; the entry may still be part of history. */
  markReplaced(entry: StoreEntry): void {
    if (this.#owns(entry)) entry.markReplaced();
  }

  /** The entry is neither current nor part of history. Callers that still hold it can read it. */
  release(entry: StoreEntry): void {
    if (!this.#owns(entry) || entry.isReleased) return;
    entry.markReleased();
    if (entry.storedBytes <= LARGE_VALUE_BYTES) this.#liveBytes -= entry.storedBytes;
  }

  /** Called on the first read of a current value in a generation; values not read for a whole generation are dropped from the cache. */
  recordRead(entry: ArenaEntry): void {
    this.#currentReads.push(entry);
    this.#readBytes += entry.byteLength;
    if (this.#readBytes < CACHED_READ_BYTES / 2) return;
    for (const each of this.#previousReads) each.dropValueReadBefore(this.#readGeneration);
    this.#previousReads = this.#currentReads;
    this.#currentReads = [];
    this.#readBytes = 0;
    this.#readGeneration++;
  }

  get readGeneration(): number {
    return this.#readGeneration;
  }

  /** Entries of a snapshot belong to the arena of the store that the snapshot came from. */
  #owns(entry: StoreEntry): entry is ArenaEntry {
    return entry instanceof ArenaEntry && entry.belongsTo(this);
  }

  #allocate(entry: ArenaEntry): void {
    const { storedBytes } = entry;
    if (storedBytes > LARGE_VALUE_BYTES) {
      entry.moveTo(Buffer.allocUnsafeSlow(storedBytes), 0);
      return;
    }
    if (this.#head.usedBytes + storedBytes > SLAB_BYTES) {
      this.#head = createSlab();
      this.#slabs.push(this.#head);
    }
    const { bytes, usedBytes, entries } = this.#head;
    this.#head.usedBytes += storedBytes;
    this.#liveBytes += storedBytes;
    entries.push(entry);
    entry.moveTo(bytes, usedBytes);
  }

  /** Moves the live values of the oldest slab to the newest when less than half of all bytes is live. */
  #compactSlabs(): void {
    if (this.#slabs.length * SLAB_BYTES <= 2 * this.#liveBytes + SPARE_SLABS * SLAB_BYTES) return;
    const oldest = this.#slabs.shift() as Slab;
    for (const entry of oldest.entries) {
      if (entry.isReleased) continue;
      this.#liveBytes -= entry.storedBytes;
      this.#allocate(entry);
    }
  }
}

/** A store entry whose value is in an arena. */
export class ArenaEntry implements StoreEntry {
  readonly key: string;
  readonly revision: number;
  /** Length of the JSON in UTF-8, without the trailing newline. */
  readonly byteLength: number;
  readonly #arena: ValueArena;
  readonly #encoding: "latin1" | "utf8";
  /** Byte offsets of the metadata, of `managedFields` in it, and of its end. */
  readonly #metadataStart: number;
  readonly #managedFieldsStart: number;
  readonly #metadataEnd: number;
  #attachment: object | undefined;
  #bytes: Buffer = NO_BYTES;
  #offset = 0;
  /** Generation of the last read. */
  #readGeneration = -1;
  #value: JsonObject | undefined;
  #state: "current" | "history" | "released" = "current";

  constructor(
    arena: ValueArena,
    key: string,
    revision: number,
    { json, byteLength, metadataStart, managedFieldsStart, metadataEnd }: ValueLayout,
  ) {
    this.#arena = arena;
    this.key = key;
    this.revision = revision;
    this.byteLength = byteLength;
    this.#encoding = byteLength === json.length ? "latin1" : "utf8";
    this.#metadataStart = metadataStart;
    this.#managedFieldsStart = managedFieldsStart;
    this.#metadataEnd = metadataEnd;
  }

  get value(): JsonObject {
    // A historical value is rarely read twice.
    if (this.#state !== "current") return this.#value ?? this.#decodeFrozen();
    const { readGeneration } = this.#arena;
    if (this.#value !== undefined && this.#readGeneration === readGeneration) return this.#value;
    const value = this.#value ?? this.#decodeFrozen();
    this.cacheValue(value);
    return value;
  }

  /** Caches the decoded value as if it had been read. */
  cacheValue(value: JsonObject): void {
    this.#value = value;
    this.#readGeneration = this.#arena.readGeneration;
    this.#arena.recordRead(this);
  }

  get attachment(): object | undefined {
    return this.#attachment;
  }

  set attachment(attachment: object | undefined) {
    this.#attachment = attachment;
  }

  decode(): JsonObject {
    return this.#value ?? (parseStoredJson(this.json()) as JsonObject);
  }

  decodeWithoutManagedFields(): JsonObject {
    const { byteLength } = this;
    return (
      this.#value ??
      (parseStoredJson(
        `${this.#decodeSlice(0, this.#managedFieldsStart)}}${this.#decodeSlice(this.#metadataEnd, byteLength)}`,
      ) as JsonObject)
    );
  }

  decodeMetadata(): JsonObject {
    return (this.#value?.["metadata"] ??
      parseStoredJson(`${this.#decodeSlice(this.#metadataStart, this.#managedFieldsStart)}}`)) as JsonObject;
  }

  get storedBytes(): number {
    return this.byteLength + 1;
  }

  get isReleased(): boolean {
    return this.#state === "released";
  }

  json(): string {
    return this.#decodeSlice(0, this.byteLength);
  }

  jsonLine(): Uint8Array {
    return this.#bytes.subarray(this.#offset, this.#offset + this.storedBytes);
  }

  startsWith(text: Uint8Array): boolean {
    return text.length <= this.byteLength && this.#bytes.compare(text, 0, text.length, this.#offset, this.#offset + text.length) === 0;
  }

  copyJson(target: Uint8Array, at: number, from = 0): number {
    return this.#bytes.copy(target, at, this.#offset + from, this.#offset + this.byteLength);
  }

  get metadataByteLength(): number {
    return this.#metadataEnd - this.#metadataStart;
  }

  copyMetadata(target: Uint8Array, at: number): number {
    return this.#bytes.copy(target, at, this.#offset + this.#metadataStart, this.#offset + this.#metadataEnd);
  }

  belongsTo(arena: ValueArena): boolean {
    return this.#arena === arena;
  }

  /** Moves the bytes to a buffer with enough space at `at`. */
  moveTo(bytes: Buffer, at: number): void {
    if (this.#bytes !== NO_BYTES) this.#bytes.copy(bytes, at, this.#offset, this.#offset + this.storedBytes);
    this.#bytes = bytes;
    this.#offset = at;
  }

  writeJson(text: string): void {
    this.#bytes.write(text, this.#offset, this.byteLength, this.#encoding);
    this.#bytes[this.#offset + this.byteLength] = NEWLINE;
  }

  dropValueReadBefore(turn: number): void {
    if (this.#readGeneration < turn) this.#value = undefined;
  }

  markReplaced(): void {
    this.#value = undefined;
    this.#state = "history";
  }

  markReleased(): void {
    this.#value = undefined;
    this.#state = "released";
  }

  #decodeSlice(from: number, to: number): string {
    return this.#bytes.toString(this.#encoding, this.#offset + from, this.#offset + to);
  }

  #decodeFrozen(): JsonObject {
    return deepFreeze(parseStoredJson(this.json()) as JsonObject);
  }
}

const NO_BYTES = Buffer.alloc(0);

function createSlab(): Slab {
  return { bytes: Buffer.allocUnsafeSlow(SLAB_BYTES), usedBytes: 0, entries: [] };
}
