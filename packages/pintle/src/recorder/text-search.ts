/** Finds any of many literal texts in one pass over a text. */
export interface TextSearch {
  /** Adds a text to look for; texts shorter than `MIN_LENGTH` characters are ignored. */
  add(text: string): void;
  /** Returns whether any of the texts occurs. */
  matches(text: string): boolean;
  /** Replaces every occurrence, the longest text first where several start at the same place. */
  replace(text: string, replacement: (found: string) => string): string;
}

/** Shorter texts would match by chance. */
export const MIN_LENGTH = 6;
const SLOTS = 1 << 16;

/**
 * Creates a search whose cost does not depend on the number of texts: a table of the hashes of their first four characters is looked up at every
 * position, and texts are compared only where it has an entry.
 */
export function createTextSearch(): TextSearch {
  const table = new Uint8Array(SLOTS);
  /** Texts by their first characters, the longest first. */
  const byStart = new Map<string, string[]>();
  const findAt = (text: string, at: number): string | undefined =>
    byStart.get(text.slice(at, at + MIN_LENGTH))?.find((each) => text.startsWith(each, at));
  const next = (text: string, from: number): { readonly at: number; readonly found: string } | undefined => {
    for (let at = from; at + MIN_LENGTH <= text.length; at++) {
      if (table[hashAt(text, at)] === 0) continue;
      const found = findAt(text, at);
      if (found !== undefined) return { at, found };
    }
    return undefined;
  };
  return {
    add(text) {
      if (text.length < MIN_LENGTH) return;
      const start = text.slice(0, MIN_LENGTH);
      const known = byStart.get(start) ?? [];
      if (known.includes(text)) return;
      table[hashAt(text, 0)] = 1;
      byStart.set(
        start,
        [...known, text].sort((a, b) => b.length - a.length),
      );
    },
    matches: (text) => byStart.size > 0 && next(text, 0) !== undefined,
    replace(text, replacement) {
      if (byStart.size === 0) return text;
      let out = "";
      let from = 0;
      for (let hit = next(text, 0); hit !== undefined; hit = next(text, from)) {
        out += text.slice(from, hit.at) + replacement(hit.found);
        from = hit.at + hit.found.length;
      }
      return from === 0 ? text : out + text.slice(from);
    },
  };
}

function hashAt(text: string, at: number): number {
  const head = text.charCodeAt(at) + text.charCodeAt(at + 1) * 31 + text.charCodeAt(at + 2) * 961 + text.charCodeAt(at + 3) * 29791;
  return (head ^ (head >>> 13)) & (SLOTS - 1);
}
