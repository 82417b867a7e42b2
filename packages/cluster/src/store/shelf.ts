import type { JsonObject } from "pintle/kinds";
import { freeze } from "./freeze.ts";
import { type Layout, layout } from "./layout.ts";
import type { Entry } from "./store.ts";
import { parseText } from "./value-text.ts";

/** Texts share a piece of memory of this size; one that would take more than a part of it has its own. */
const SLAB = 256 * 1024;
const LARGE = SLAB / 4;
/** So many slabs more than what is in use are no reason to tidy up. */
const SPARE = 16;
/** How much text was read since values were last forgotten; about half of it stays at hand. */
const READ = 16 * 1024 * 1024;
/** So much text stays at hand as values from the beginning: a server reads what it starts with, and small clusters are read over and over. */
const FIRST = 1024 * 1024;
const NEWLINE = 0x0a;

interface Slab {
  readonly bytes: Buffer;
  used: number;
  readonly entries: ShelvedEntry[];
}

/**
 * Where the values of one ledger are: as text, outside of the heap that V8 collects. A collection of garbage looks at everything that
 * is on the heap, and a value is some dozens of objects; a text here costs it nothing, however many there are. Values that
 * are read are put together again, and stay at hand while they are among the last that were read.
 */
export class Shelf {
  #head = slab();
  /** All of them, oldest first. */
  readonly #slabs = [this.#head];
  /** Bytes in slabs of what is current or in history. */
  #inUse = 0;
  #turn = 0;
  #readBytes = 0;
  #readNow: ShelvedEntry[] = [];
  #readBefore: ShelvedEntry[] = [];

  /** Writes down a value, which is frozen and stamped with its revision. */
  put(key: string, revision: number, value: JsonObject, note: object | undefined): ShelvedEntry {
    const written = layout(value);
    const entry = new ShelvedEntry(this, key, revision, written);
    entry.note = note;
    this.#place(entry);
    entry.write(written.text);
    if (this.#turn === 0 && this.#readBytes < FIRST) entry.keep(value);
    this.#tidy();
    return entry;
  }

  /** Its key holds something else now; history may still tell of it. */
  replaced(entry: Entry): void {
    if (this.#isOwn(entry)) entry.replaced();
  }

  /** Nobody will ask this ledger for it any more; whoever still has it can go on reading it. */
  release(entry: Entry): void {
    if (!this.#isOwn(entry) || entry.isReleased) return;
    entry.released();
    if (entry.size <= LARGE) this.#inUse -= entry.size;
  }

  /** Told of every first look at a current value in a turn: those not looked at for a whole turn are forgotten. */
  looked(entry: ShelvedEntry): void {
    this.#readNow.push(entry);
    this.#readBytes += entry.length;
    if (this.#readBytes < READ / 2) return;
    for (const each of this.#readBefore) each.forgetBefore(this.#turn);
    this.#readBefore = this.#readNow;
    this.#readNow = [];
    this.#readBytes = 0;
    this.#turn++;
  }

  get turn(): number {
    return this.#turn;
  }

  /** What came with another ledger's state is that one's to tidy up. */
  #isOwn(entry: Entry): entry is ShelvedEntry {
    return entry instanceof ShelvedEntry && entry.isOn(this);
  }

  #place(entry: ShelvedEntry): void {
    const { size } = entry;
    if (size > LARGE) {
      entry.moveTo(Buffer.allocUnsafeSlow(size), 0);
      return;
    }
    if (this.#head.used + size > SLAB) {
      this.#head = slab();
      this.#slabs.push(this.#head);
    }
    const { bytes, used, entries } = this.#head;
    this.#head.used += size;
    this.#inUse += size;
    entries.push(entry);
    entry.moveTo(bytes, used);
  }

  /** What is left of the oldest slab moves to the newest when less than half of all is in use. The slab goes when nobody reads it. */
  #tidy(): void {
    if (this.#slabs.length * SLAB <= 2 * this.#inUse + SPARE * SLAB) return;
    const oldest = this.#slabs.shift() as Slab;
    for (const entry of oldest.entries) {
      if (entry.isReleased) continue;
      this.#inUse -= entry.size;
      this.#place(entry);
    }
  }
}

/** A key and what it holds, as a shelf keeps it. */
export class ShelvedEntry implements Entry {
  readonly key: string;
  readonly revision: number;
  /** Of the text in UTF-8, without the newline behind it. */
  readonly length: number;
  readonly #shelf: Shelf;
  readonly #encoding: "latin1" | "utf8";
  /** Where its metadata begins, where the owners of fields in it, and where it ends. */
  readonly #begin: number;
  readonly #brief: number;
  readonly #end: number;
  #note: object | undefined;
  #bytes: Buffer = NOWHERE;
  #at = 0;
  /** When the value was last looked at. */
  #turn = -1;
  #value: JsonObject | undefined;
  #place: "current" | "history" | "released" = "current";

  constructor(shelf: Shelf, key: string, revision: number, { text, bytes, begin, brief, end }: Layout) {
    this.#shelf = shelf;
    this.key = key;
    this.revision = revision;
    this.length = bytes;
    this.#encoding = bytes === text.length ? "latin1" : "utf8";
    this.#begin = begin;
    this.#brief = brief;
    this.#end = end;
  }

  get value(): JsonObject {
    // What is no longer current is hardly ever asked for twice.
    if (this.#place !== "current") return this.#value ?? this.#read();
    const { turn } = this.#shelf;
    if (this.#value !== undefined && this.#turn === turn) return this.#value;
    const value = this.#value ?? this.#read();
    this.keep(value);
    return value;
  }

  /** Keeps the value at hand as if somebody had asked for it. */
  keep(value: JsonObject): void {
    this.#value = value;
    this.#turn = this.#shelf.turn;
    this.#shelf.looked(this);
  }

  get note(): object | undefined {
    return this.#note;
  }

  set note(note: object | undefined) {
    this.#note = note;
  }

  read(): JsonObject {
    return this.#value ?? (parseText(this.text()) as JsonObject);
  }

  readBrief(): JsonObject {
    const { length } = this;
    return this.#value ?? (parseText(`${this.#slice(0, this.#brief)}}${this.#slice(this.#end, length)}`) as JsonObject);
  }

  metadata(): JsonObject {
    return (this.#value?.["metadata"] ?? parseText(`${this.#slice(this.#begin, this.#brief)}}`)) as JsonObject;
  }

  get size(): number {
    return this.length + 1;
  }

  get isReleased(): boolean {
    return this.#place === "released";
  }

  text(): string {
    return this.#slice(0, this.length);
  }

  line(): Uint8Array {
    return this.#bytes.subarray(this.#at, this.#at + this.size);
  }

  startsWith(text: Uint8Array): boolean {
    return text.length <= this.length && this.#bytes.compare(text, 0, text.length, this.#at, this.#at + text.length) === 0;
  }

  copyText(target: Uint8Array, at: number, from = 0): number {
    return this.#bytes.copy(target, at, this.#at + from, this.#at + this.length);
  }

  get metadataLength(): number {
    return this.#end - this.#begin;
  }

  copyMetadata(target: Uint8Array, at: number): number {
    return this.#bytes.copy(target, at, this.#at + this.#begin, this.#at + this.#end);
  }

  isOn(shelf: Shelf): boolean {
    return this.#shelf === shelf;
  }

  /** There is room for it at this place. */
  moveTo(bytes: Buffer, at: number): void {
    if (this.#bytes !== NOWHERE) this.#bytes.copy(bytes, at, this.#at, this.#at + this.size);
    this.#bytes = bytes;
    this.#at = at;
  }

  write(text: string): void {
    this.#bytes.write(text, this.#at, this.length, this.#encoding);
    this.#bytes[this.#at + this.length] = NEWLINE;
  }

  forgetBefore(turn: number): void {
    if (this.#turn < turn) this.#value = undefined;
  }

  replaced(): void {
    this.#value = undefined;
    this.#place = "history";
  }

  released(): void {
    this.#value = undefined;
    this.#place = "released";
  }

  #slice(from: number, to: number): string {
    return this.#bytes.toString(this.#encoding, this.#at + from, this.#at + to);
  }

  #read(): JsonObject {
    return freeze(parseText(this.text()) as JsonObject);
  }
}

const NOWHERE = Buffer.alloc(0);

function slab(): Slab {
  return { bytes: Buffer.allocUnsafeSlow(SLAB), used: 0, entries: [] };
}
