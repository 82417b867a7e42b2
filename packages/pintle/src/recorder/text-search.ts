/** A text that was found. */
export interface TextHit<Label> {
  readonly start: number;
  readonly end: number;
  readonly label: Label;
}

/** Finds any of many literal texts in one pass over a text. */
export interface TextSearch<Label> {
  /**
   * Adds a text to look for, by its start and its length; starts shorter than `MIN_LENGTH` characters are ignored. What follows the start is not compared.
   */
  add(start: string, length: number, label: Label): void;
  /** Returns every occurrence, in order of their starts; they can overlap. */
  find(text: string): readonly TextHit<Label>[];
  readonly isEmpty: boolean;
}

/** Shorter texts would match by chance. */
export const MIN_LENGTH = 6;
const SLOTS = 1 << 16;
const NONE: never[] = [];
/** How much of a cut text is looked for. */
const MAX_CUT = 256;

/** The texts with the same first characters. */
interface Bucket<Label> {
  /** The lengths of their starts, the longest first. */
  lengths: readonly number[];
  readonly byStart: Map<string, { readonly length: number; readonly label: Label }>;
}

/**
 * Creates a search whose cost does not depend on the number of texts: a table of the hashes of their first four characters is looked up at every
 * position, and texts are compared only where it has an entry.
 */
export function createTextSearch<Label>(): TextSearch<Label> {
  const table = new Uint8Array(SLOTS);
  const buckets = new Map<string, Bucket<Label>>();
  const findAt = (text: string, at: number) => {
    const bucket = buckets.get(text.slice(at, at + MIN_LENGTH));
    if (bucket === undefined) return undefined;
    for (const length of bucket.lengths) {
      const found = bucket.byStart.get(text.slice(at, at + length));
      if (found !== undefined) return found;
    }
    return undefined;
  };
  /** Finds a text that was cut: the last one before an ellipsis. */
  const findCut = (text: string): TextHit<Label> | undefined => {
    const end = text.endsWith("…") ? text.length - 1 : text.endsWith("...") ? text.length - 3 : 0;
    for (let at = Math.max(0, end - MAX_CUT); at + MIN_LENGTH <= end; at++) {
      if (table[hashAt(text, at)] === 0) continue;
      const rest = text.slice(at, end);
      for (const [start, { label }] of buckets.get(rest.slice(0, MIN_LENGTH))?.byStart ?? [])
        if (start.startsWith(rest)) return { start: at, end, label };
    }
    return undefined;
  };
  return {
    add(start, length, label) {
      if (start.length < MIN_LENGTH) return;
      const head = start.slice(0, MIN_LENGTH);
      table[hashAt(start, 0)] = 1;
      const bucket: Bucket<Label> = buckets.get(head) ?? { lengths: [], byStart: new Map() };
      if (!bucket.lengths.includes(start.length)) bucket.lengths = [...bucket.lengths, start.length].sort((a, b) => b - a);
      if (!bucket.byStart.has(start)) bucket.byStart.set(start, { length, label });
      buckets.set(head, bucket);
    },
    find(text) {
      if (buckets.size === 0) return NONE;
      let hits: TextHit<Label>[] = NONE;
      for (let at = 0; at + MIN_LENGTH <= text.length; at++) {
        if (table[hashAt(text, at)] === 0) continue;
        const found = findAt(text, at);
        if (found === undefined) continue;
        if (hits === NONE) hits = [];
        hits.push({ start: at, end: Math.min(at + found.length, text.length), label: found.label });
      }
      const cut = findCut(text);
      return cut === undefined ? hits : [...hits, cut];
    },
    get isEmpty() {
      return buckets.size === 0;
    },
  };
}

function hashAt(text: string, at: number): number {
  const head = text.charCodeAt(at) + text.charCodeAt(at + 1) * 31 + text.charCodeAt(at + 2) * 961 + text.charCodeAt(at + 3) * 29791;
  return (head ^ (head >>> 13)) & (SLOTS - 1);
}
