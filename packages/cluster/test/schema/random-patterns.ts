import { type Random, seededRandom } from "pintle/internal/clock";

/** A pattern and texts to match with it. */
export interface PatternCase {
  readonly pattern: string;
  readonly texts: readonly string[];
}

/** What Go's regexp package says: an error, or for every text whether it matches and all matches. */
export interface PatternResult {
  readonly error?: string;
  readonly matches?: readonly boolean[];
  readonly found?: readonly (readonly string[])[];
}

const ATOMS = [
  ...["a", "b", "k", "x", "-", "é", "😀", "ſ", "S", "Σ", "ς", "ß", "\n", "\\.", ".", "|", "\\t", "\\x41", "\\x{e9}", "\\07", "\\Qa.b\\E"],
  ...["^", "$", "\\b", "\\B", "\\A", "\\z", "\\d", "\\D", "\\W", "\\w", "\\s", "\\S", "{", "}", "{,2}", "x{2"],
  ...["[a-z]", "[^a]", "[]a]", "[^-\\d]", "[\\s\\w-]", "[[:alpha:]]", "[[:^space:]x]", "[^\\x00-\\x{10FFFF}]", "[\\p{Lu}\\D]", "(?i)[^k]"],
  ...["\\pL", "\\p{Greek}", "\\PN", "\\p{^Lu}", "\\p{Letter}", "\\p{any}", "\\p{LC}"],
  ...["(?i:k)", "(?i)", "(?-i)", "(?s:.)", "(?m:^b$)", "(?U:a*)", "(?P<n>a)", "(?<m>b)"],
];
const INVALID_ATOMS = [
  ...["\\C", "\\8", "\\", "\\x{", "\\xg1", "[a-", "[z-a]", "[[:foo:]]", "\\p{Foo}", "\\pX", "\\p{old_italic}"],
  ...["(?P<n", "(?=a)", "(?i-", "^*"],
];
const QUANTIFIERS = ["", "", "", "", "*", "+", "?", "{2}", "{0,2}", "{1,}", "*?", "??", "+?", "{0}", "{3,4}?"];
const RARE_QUANTIFIERS = ["{40}", "{500}", "{1001}", "{2,1}", "**", "{01}", "{,3}"];
const CHARACTERS = [..."ab-.]_7 \n\v\\kKsSxA{éſ😀σςΣßẞ\u212a"];

/** Generates random patterns, some of them invalid, and texts of the characters that occur in them. */
export function generatePatternCases(seed: number, count: number): readonly PatternCase[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, () => {
    // In a long pattern, something is almost always invalid.
    const atoms = random() < 0.3 ? [...ATOMS, ...INVALID_ATOMS] : ATOMS;
    const quantifiers = random() < 0.3 ? [...QUANTIFIERS, ...RARE_QUANTIFIERS] : QUANTIFIERS;
    const pattern = generatePattern(random, atoms, quantifiers, 3);
    return { pattern, texts: Array.from({ length: 4 }, () => repeat(random, 8, () => pick(random, CHARACTERS))) };
  });
}

function generatePattern(random: Random, atoms: readonly string[], quantifiers: readonly string[], depth: number): string {
  const nested = () => generatePattern(random, atoms, quantifiers, depth - 1);
  return repeat(random, depth === 3 ? 5 : 4, () => {
    const kind = depth === 0 ? 1 : random();
    const group = () => `(${pick(random, ["", "?:", "?i:", "?s:"])}${nested()})`;
    return (kind < 0.25 ? group() : kind < 0.35 ? `(${nested()}|${nested()})` : pick(random, atoms)) + pick(random, quantifiers);
  });
}

function repeat(random: Random, limit: number, make: () => string): string {
  return Array.from({ length: Math.floor(random() * limit) }, make).join("");
}

const pick = <T>(random: Random, from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
