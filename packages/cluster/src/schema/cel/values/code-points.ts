/** CEL counts characters as code points. Nearly all texts have one UTF-16 unit per code point, and V8 finds that out without reading Latin text. */
const PAIR = /[\ud800-\udbff][\udc00-\udfff]/;

/** Texts whose size is remembered: an expression asks again and again for that of the same few. */
const MIN_REMEMBERED_LENGTH = 256;
const MAX_REMEMBERED = 16;
const remembered = new Map<string, number>();

export function countCodePoints(text: string): number {
  if (text.length < MIN_REMEMBERED_LENGTH) return count(text);
  const known = remembered.get(text);
  if (known !== undefined) return known;
  const size = count(text);
  if (remembered.size === MAX_REMEMBERED) remembered.clear();
  remembered.set(text, size);
  return size;
}

function count(text: string): number {
  if (!PAIR.test(text)) return text.length;
  let size = 0;
  for (let at = 0; at < text.length; size++) at += isPair(text, at) ? 2 : 1;
  return size;
}

/** Returns the position in UTF-16 units of a code point; undefined beyond the text. */
export function toUnits(text: string, position: number): number | undefined {
  if (position > text.length) return undefined;
  if (countCodePoints(text) === text.length) return position;
  let at = 0;
  for (let left = position; left > 0; left--) {
    if (at >= text.length) return undefined;
    at += isPair(text, at) ? 2 : 1;
  }
  return at;
}

/** Returns the number of code points in front of a position in UTF-16 units. */
export function toCodePointIndex(text: string, units: number): number {
  return countCodePoints(text) === text.length ? units : count(text.slice(0, units));
}

function isPair(text: string, at: number): boolean {
  return (text.codePointAt(at) as number) > 0xffff;
}
