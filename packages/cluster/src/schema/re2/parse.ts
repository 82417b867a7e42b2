import { createParts, createRuneSet, findUnicodeClass, PERL_CLASSES, POSIX_CLASSES, type RuneSet, type RuneSetParts } from "./rune-set.ts";

/** The syntax tree of a pattern. */
export type PatternNode =
  | { readonly is: "rune"; readonly rune: number }
  | { readonly is: "set"; readonly set: RuneSet }
  | { readonly is: "assertion"; readonly assertion: Assertion }
  | { readonly is: "concat"; readonly parts: readonly PatternNode[] }
  | { readonly is: "alternate"; readonly parts: readonly PatternNode[] }
  | {
      readonly is: "repeat";
      readonly part: PatternNode;
      readonly min: number;
      /** -1: no limit. */
      readonly max: number;
      readonly isGreedy: boolean;
    };

/** What must hold between two characters; bits, so that several can be tested at once. */
export const Assertion = {
  beginLine: 1,
  endLine: 2,
  beginText: 4,
  endText: 8,
  wordBoundary: 16,
  noWordBoundary: 32,
} as const;
export type Assertion = (typeof Assertion)[keyof typeof Assertion];

/** A node with what the limits need to know about it. */
interface MeasuredNode {
  readonly node: PatternNode;
  /** Instructions of the compiled node, as Go estimates them. */
  readonly size: number;
  readonly height: number;
  /** Largest product of nested repetition counts. */
  readonly repeats: number;
}

interface Flags {
  readonly foldsCase: boolean;
  readonly isMultiLine: boolean;
  readonly dotMatchesNewline: boolean;
  readonly isLazy: boolean;
}

/** An open parenthesis, or the whole pattern. */
interface Group {
  readonly alternatives: MeasuredNode[];
  sequence: MeasuredNode[];
  readonly flagsOutside: Flags;
}

const MAX_REPEAT = 1000;
const MAX_HEIGHT = 1000;
/**
 * Largest program. Go allows thirty times as much; a pattern of that size would occupy more than 100 MB here.
 */
const MAX_SIZE = 100_000;
/** Largest program of Go, which checks it before it checks the repeat count. */
const GO_MAX_SIZE = 3_355_443;
const ANY: RuneSet = { has: () => true };
const ANY_BUT_NEWLINE: RuneSet = { has: (rune) => rune !== 0x0a };

/** Parses a pattern as Go's regexp/syntax does. Throws `SyntaxError` with Go's text. */
export function parsePattern(pattern: string): { readonly node: PatternNode; readonly size: number } {
  let flags: Flags = { foldsCase: false, isMultiLine: false, dotMatchesNewline: false, isLazy: false };
  let at = 0;
  /** Where the previous token starts if it was a repetition, which must not be repeated again. */
  let lastRepeat = -1;
  let thisRepeat = -1;
  const groups: Group[] = [{ alternatives: [], sequence: [], flagsOutside: flags }];
  const fail = (problem: string, text: string) => new SyntaxError(`error parsing regexp: ${problem}: \`${text}\``);
  const currentGroup = () => groups.at(-1)!;
  let nodes = 0;
  const push = (node: PatternNode) => {
    if (++nodes > MAX_SIZE) throw fail("expression too large", pattern);
    currentGroup().sequence.push({ node, size: 1, height: 1, repeats: 1 });
  };
  const pushAssertion = (assertion: Assertion) => push({ is: "assertion", assertion });
  /** Sets by their text: the same class often occurs several times. */
  const sets = new Map<string, RuneSet>();
  const pushSet = (start: number, parts: RuneSetParts, isNegated = false) => {
    const { foldsCase } = flags;
    const key = `${foldsCase} ${pattern.slice(start, at)}`;
    let set = sets.get(key);
    if (set === undefined) {
      set = createRuneSet(parts, { isNegated, foldsCase });
      sets.set(key, set);
    }
    push({ is: "set", set });
  };
  const checkLimits = (measured: MeasuredNode): MeasuredNode => {
    if (measured.size > MAX_SIZE) throw fail("expression too large", pattern);
    if (measured.height > MAX_HEIGHT) throw fail("expression nests too deeply", pattern);
    return measured;
  };

  /** Returns the character at `at` and advances. A lone surrogate is no character. */
  function readRune(): number {
    const code = pattern.codePointAt(at) ?? 0xfffd;
    at += code > 0xffff ? 2 : 1;
    return code >= 0xd800 && code <= 0xdfff ? 0xfffd : code;
  }

  function pushLiteral(rune: number): void {
    if (!flags.foldsCase) return void push({ is: "rune", rune });
    const key = `${rune}`;
    let set = sets.get(key);
    if (set === undefined) {
      set = createRuneSet({ ...createParts(), ranges: [rune, rune] }, { isNegated: false, foldsCase: true });
      sets.set(key, set);
    }
    push({ is: "set", set });
  }

  function joinSequence(group: Group): MeasuredNode {
    const { sequence } = group;
    group.sequence = [];
    return checkLimits(sequence.length === 1 ? sequence[0]! : combine("concat", sequence));
  }

  function joinGroup(group: Group): MeasuredNode {
    const last = joinSequence(group);
    return checkLimits(group.alternatives.length === 0 ? last : combine("alternate", [...group.alternatives, last]));
  }

  function closeGroup(): void {
    const group = groups.pop()!;
    if (groups.length === 0) throw fail("unexpected )", pattern);
    const { node, size, height, repeats } = joinGroup(group);
    flags = group.flagsOutside;
    currentGroup().sequence.push(checkLimits({ node, size: size + 2, height: height + 1, repeats }));
  }

  function repeat(start: number, min: number, max: number): void {
    let { isLazy } = flags;
    if (pattern[at] === "?") {
      at++;
      isLazy = !isLazy;
    }
    if (lastRepeat >= 0) throw fail("invalid nested repetition operator", pattern.slice(lastRepeat, at));
    const measured = currentGroup().sequence.pop();
    if (measured === undefined) throw fail("missing argument to repetition operator", pattern.slice(start, at));
    const repeated = measureRepeat(measured, min, max, !isLazy);
    if (repeated.size > GO_MAX_SIZE) throw fail("expression too large", pattern);
    if ((min >= 2 || max >= 2) && repeated.repeats > MAX_REPEAT) throw fail("invalid repeat count", pattern.slice(start, at));
    currentGroup().sequence.push(checkLimits(repeated));
    thisRepeat = start;
  }

  /** Parses `{2,5}`. Returns false if it is no repetition; the brace is then a literal. */
  function parseCount(start: number): boolean {
    COUNT.lastIndex = start;
    const [text, low = "", comma, high = ""] = COUNT.exec(pattern) ?? [];
    if (text === undefined) return false;
    at = start + text.length;
    const min = parseSmallNumber(low);
    const max = comma === undefined ? min : high === "" ? -1 : parseSmallNumber(high);
    if (min > MAX_REPEAT || max > MAX_REPEAT || (max >= 0 && min > max)) throw fail("invalid repeat count", text);
    repeat(start, min, max);
    return true;
  }

  /** Parses what follows `(?`: flags, or the name of a group. */
  function parseExtension(start: number): void {
    const nameStart = pattern.startsWith("(?P<", start) && pattern.length > start + 4 ? 4 : 3;
    if (nameStart === 4 || (pattern.startsWith("(?<", start) && pattern.length > start + 3)) {
      const end = pattern.indexOf(">", start);
      if (end < 0) throw fail("invalid named capture", pattern.slice(start));
      if (!/^\w+$/.test(pattern.slice(start + nameStart, end))) throw fail("invalid named capture", pattern.slice(start, end + 1));
      at = end + 1;
      groups.push({ alternatives: [], sequence: [], flagsOutside: flags });
      return;
    }
    FLAGS.lastIndex = start;
    const [text = "", set = "", cleared, ending] = FLAGS.exec(pattern) ?? [];
    if (ending === undefined || cleared === "") {
      at = Math.min(start + text.length - (ending === undefined ? 0 : 1), pattern.length);
      if (at < pattern.length) readRune();
      throw fail("invalid or unsupported Perl syntax", pattern.slice(start, at));
    }
    at = start + text.length;
    const outside = flags;
    flags = applyFlags(applyFlags(flags, set, true), cleared ?? "", false);
    if (ending === ":") groups.push({ alternatives: [], sequence: [], flagsOutside: outside });
  }

  function parseBackslash(start: number): void {
    const next = pattern[start + 1];
    const assertion = next === undefined ? undefined : ESCAPED_ASSERTIONS.get(next);
    if (assertion !== undefined) {
      at = start + 2;
      pushAssertion(assertion);
    } else if (next === "C") throw fail("invalid escape sequence", "\\C");
    else if (next === "Q") {
      const end = pattern.indexOf("\\E", start + 2);
      const stop = end < 0 ? pattern.length : end;
      for (at = start + 2; at < stop; ) pushLiteral(readRune());
      at = end < 0 ? stop : end + 2;
    } else {
      const parts = createParts();
      if (parseClassEscape(parts)) pushSet(start, parts);
      else pushLiteral(parseEscape());
    }
  }

  /** Parses `\d`, `\PL` and the like at `at` into the parts. Returns false if there is something else. */
  function parseClassEscape(parts: RuneSetParts): boolean {
    const name = pattern[at] === "\\" ? pattern[at + 1] : undefined;
    if (name === undefined) return false;
    if (name === "p" || name === "P") {
      parseUnicodeClass(parts);
      return true;
    }
    const ranges = Object.hasOwn(PERL_CLASSES, name.toLowerCase()) ? PERL_CLASSES[name.toLowerCase()] : undefined;
    if (ranges === undefined) return false;
    at += 2;
    if (name === name.toLowerCase()) parts.ranges.push(...ranges);
    else parts.complements.push({ ...createParts(), ranges: [...ranges] });
    return true;
  }

  function parseUnicodeClass(parts: RuneSetParts): void {
    const start = at;
    let isNegated = pattern[at + 1] === "P";
    at += 2;
    if (pattern[at] === "{") {
      const end = pattern.indexOf("}", start);
      if (end < 0) throw fail("invalid character class range", pattern.slice(start));
      at = end + 1;
    } else if (at < pattern.length) readRune();
    const text = pattern.slice(start, at);
    let name = text[2] === "{" ? text.slice(3, -1) : text.slice(2);
    if (name.startsWith("^")) {
      isNegated = !isNegated;
      name = name.slice(1);
    }
    const found = findUnicodeClass(name);
    if (found === undefined) throw fail("invalid character class range", text);
    if (isNegated) parts.complements.push(found);
    else {
      parts.ranges.push(...found.ranges);
      parts.properties.push(...found.properties);
      parts.complements.push(...found.complements);
    }
  }

  /** Parses an escaped character at `at`. */
  function parseEscape(): number {
    const start = at++;
    if (at >= pattern.length) throw fail("trailing backslash at end of expression", "");
    const next = pattern[at]!;
    const invalid = () => fail("invalid escape sequence", pattern.slice(start, at));
    if (Object.hasOwn(CONTROL_ESCAPES, next)) {
      at++;
      return CONTROL_ESCAPES[next]!;
    }
    OCTAL.lastIndex = at;
    const octal = OCTAL.exec(pattern)?.[0];
    if (octal !== undefined) {
      at += octal.length;
      return Number.parseInt(octal, 8);
    }
    if (next === "x") return parseHex(start);
    const rune = readRune();
    if (rune >= 0x80 || /[0-9A-Za-z]/.test(next)) throw invalid();
    return rune;
  }

  /** Parses `\x7f` and `\x{10ffff}`. */
  function parseHex(start: number): number {
    const isHex = (character: string | undefined) => character !== undefined && /^[0-9A-Fa-f]$/.test(character);
    at = start + 2;
    const invalid = () => fail("invalid escape sequence", pattern.slice(start, at));
    if (at >= pattern.length) throw invalid();
    if (pattern[at] !== "{") {
      const first = readRune();
      const second = at < pattern.length ? readRune() : 0;
      const digits = String.fromCodePoint(first, second);
      if (!isHex(digits[0]) || !isHex(digits[1])) throw invalid();
      return Number.parseInt(digits, 16);
    }
    at++;
    let value = 0;
    for (let count = 0; at < pattern.length; count++) {
      const digit = readRune();
      if (digit === 0x7d && count > 0) return value;
      const character = String.fromCodePoint(digit);
      if (!isHex(character)) throw invalid();
      value = value * 16 + Number.parseInt(character, 16);
      if (value > 0x10ffff) throw invalid();
    }
    throw invalid();
  }

  function parseClass(start: number): void {
    at = start + 1;
    const isNegated = pattern[at] === "^";
    if (isNegated) at++;
    const parts = createParts();
    for (let isFirst = true; pattern[at] !== "]" || isFirst; isFirst = false) {
      if (pattern.startsWith("[:", at) && parsePosixClass(parts)) continue;
      if (parseClassEscape(parts)) continue;
      const rangeStart = at;
      const low = parseClassRune(start);
      let high = low;
      if (pattern[at] === "-" && at + 1 < pattern.length && pattern[at + 1] !== "]") {
        at++;
        high = parseClassRune(start);
        if (high < low) throw fail("invalid character class range", pattern.slice(rangeStart, at));
      }
      parts.ranges.push(low, high);
    }
    at++;
    pushSet(start, parts, isNegated);
  }

  function parseClassRune(classStart: number): number {
    if (at >= pattern.length) throw fail("missing closing ]", pattern.slice(classStart));
    return pattern[at] === "\\" ? parseEscape() : readRune();
  }

  /** Position of the last ":]", so that a search for it is never repeated in vain. */
  const lastPosixEnd = pattern.lastIndexOf(":]");

  function parsePosixClass(parts: RuneSetParts): boolean {
    if (lastPosixEnd < at + 2) return false;
    const end = pattern.indexOf(":]", at + 2);
    const name = pattern.slice(at + 2, end);
    const ranges = POSIX_CLASSES.get(name.replace(/^\^/, ""));
    if (ranges === undefined) throw fail("invalid character class range", pattern.slice(at, end + 2));
    at = end + 2;
    if (name.startsWith("^")) parts.complements.push({ ...createParts(), ranges: [...ranges] });
    else parts.ranges.push(...ranges);
    return true;
  }

  while (at < pattern.length) {
    thisRepeat = -1;
    const start = at;
    switch (pattern[at]) {
      case "(":
        if (pattern[at + 1] === "?") parseExtension(start);
        else {
          at++;
          groups.push({ alternatives: [], sequence: [], flagsOutside: flags });
        }
        break;
      case "|":
        at++;
        currentGroup().alternatives.push(joinSequence(currentGroup()));
        break;
      case ")":
        at++;
        closeGroup();
        break;
      case "^":
        at++;
        pushAssertion(flags.isMultiLine ? Assertion.beginLine : Assertion.beginText);
        break;
      case "$":
        at++;
        pushAssertion(flags.isMultiLine ? Assertion.endLine : Assertion.endText);
        break;
      case ".":
        at++;
        push({ is: "set", set: flags.dotMatchesNewline ? ANY : ANY_BUT_NEWLINE });
        break;
      case "[":
        parseClass(start);
        break;
      case "*":
      case "+":
      case "?":
        at++;
        repeat(start, pattern[start] === "+" ? 1 : 0, pattern[start] === "?" ? 1 : -1);
        break;
      case "{":
        if (!parseCount(start)) pushLiteral(readRune());
        break;
      case "\\":
        parseBackslash(start);
        break;
      default:
        pushLiteral(readRune());
    }
    lastRepeat = thisRepeat;
  }
  const whole = groups.pop()!;
  if (groups.length > 0) throw fail("missing closing )", pattern);
  return joinGroup(whole);
}

const COUNT = /\{(0|[1-9]\d*)(?:(,)(0|[1-9]\d*)?)?\}/y;
const FLAGS = /\(\?([imsU]*)(?:-([imsU]*))?([:)])?/y;
const OCTAL = /0[0-7]{0,2}|[1-7][0-7]{1,2}/y;
const CONTROL_ESCAPES: Readonly<Record<string, number>> = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 };
const ESCAPED_ASSERTIONS: ReadonlyMap<string, Assertion> = new Map<string, Assertion>([
  ["A", Assertion.beginText],
  ["b", Assertion.wordBoundary],
  ["B", Assertion.noWordBoundary],
  ["z", Assertion.endText],
]);

/** Long numbers are all too large. */
const parseSmallNumber = (digits: string) => Number(digits.slice(0, 9));

function applyFlags(flags: Flags, letters: string, value: boolean): Flags {
  let { foldsCase, isMultiLine, dotMatchesNewline, isLazy } = flags;
  if (letters.includes("i")) foldsCase = value;
  if (letters.includes("m")) isMultiLine = value;
  if (letters.includes("s")) dotMatchesNewline = value;
  if (letters.includes("U")) isLazy = value;
  return { foldsCase, isMultiLine, dotMatchesNewline, isLazy };
}

function combine(is: "concat" | "alternate", parts: readonly MeasuredNode[]): MeasuredNode {
  let size = is === "alternate" ? parts.length : 1;
  let [height, repeats] = [1, 1];
  for (const part of parts) {
    size += part.size;
    height = Math.max(height, part.height + 1);
    repeats = Math.max(repeats, part.repeats);
  }
  return { node: { is, parts: parts.map(({ node }) => node) }, size, height, repeats };
}

function measureRepeat({ node: part, size, height, repeats }: MeasuredNode, min: number, max: number, isGreedy: boolean): MeasuredNode {
  const count = max < 0 ? Math.max(min, 1) : max;
  return {
    node: { is: "repeat", part, min, max, isGreedy },
    size: count * (size + 1) + 1,
    height: height + 1,
    repeats: count === 0 ? 1 : count * repeats,
  };
}
