/** A set of characters (code points), written as a class such as `[a-z\pL]`. */
export interface RuneSet {
  has(rune: number): boolean;
}

/** What a class contains, before it is negated as a whole. */
export interface RuneSetParts {
  /** Pairs of first and last character. */
  readonly ranges: number[];
  /** Unicode properties in JavaScript's syntax: "\p{L}". */
  readonly properties: string[];
  /** Parts of which the class contains the complement: `\D`, `\PL`, `[:^alpha:]`. */
  readonly complements: RuneSetParts[];
}

export const createParts = (): RuneSetParts => ({ ranges: [], properties: [], complements: [] });

/**
 * Builds a set. Each part is tested with a native RegExp of a single class, which cannot backtrack; with the flag `i` it folds case as
 * RE2 does.
 */
export function createRuneSet(
  parts: RuneSetParts,
  { isNegated, foldsCase }: { readonly isNegated: boolean; readonly foldsCase: boolean },
): RuneSet {
  const test = createTest(parts, foldsCase);
  return { has: (rune) => test(rune) !== isNegated };
}

function createTest({ ranges, properties, complements }: RuneSetParts, foldsCase: boolean): (rune: number) => boolean {
  const pairs: string[] = [];
  for (let i = 0; i < ranges.length; i += 2) pairs.push(`${escapeRune(ranges[i]!)}-${escapeRune(ranges[i + 1]!)}`);
  const items = [...pairs, ...properties].join("");
  const positive = items === "" ? undefined : new RegExp(`[${items}]`, foldsCase ? "iu" : "u");
  const negative = complements.map((part) => createTest(part, foldsCase));
  return (rune) => positive?.test(String.fromCodePoint(rune)) === true || negative.some((test) => !test(rune));
}

const escapeRune = (rune: number) => `\\u{${rune.toString(16)}}`;

const DIGIT = [0x30, 0x39];
const LOWER = [0x61, 0x7a];
const UPPER = [0x41, 0x5a];
const PUNCTUATION = [0x21, 0x2f, 0x3a, 0x40, 0x5b, 0x60, 0x7b, 0x7e];

/** The classes `\d`, `\s` and `\w`. */
export const PERL_CLASSES: Readonly<Record<string, readonly number[]>> = {
  d: DIGIT,
  s: [0x09, 0x0a, 0x0c, 0x0d, 0x20, 0x20],
  w: [...DIGIT, ...UPPER, 0x5f, 0x5f, ...LOWER],
};

/** The classes `[:alpha:]` and so on. */
export const POSIX_CLASSES: ReadonlyMap<string, readonly number[]> = new Map(
  Object.entries({
    alnum: [...DIGIT, ...UPPER, ...LOWER],
    alpha: [...UPPER, ...LOWER],
    ascii: [0x00, 0x7f],
    blank: [0x09, 0x09, 0x20, 0x20],
    cntrl: [0x00, 0x1f, 0x7f, 0x7f],
    digit: DIGIT,
    graph: [0x21, 0x7e],
    lower: LOWER,
    print: [0x20, 0x7e],
    punct: PUNCTUATION,
    space: [0x09, 0x0d, 0x20, 0x20],
    upper: UPPER,
    word: [...DIGIT, ...UPPER, 0x5f, 0x5f, ...LOWER],
    xdigit: [...DIGIT, 0x41, 0x46, 0x61, 0x66],
  }),
);

const CATEGORIES = new Set(
  "C Cc Cf Cn Co Cs L Ll Lm Lo Lt Lu M Mc Me Mn N Nd Nl No P Pc Pd Pe Pf Pi Po Ps S Sc Sk Sm So Z Zl Zp Zs".split(" "),
);

/** Go's names of categories, in the form that remains when separators and capitals inside are removed. */
const CATEGORY_ALIASES: ReadonlyMap<string, string> = new Map(
  `Casedletter:LC Closepunctuation:Pe Combiningmark:M Connectorpunctuation:Pc Control:Cc Currencysymbol:Sc Dashpunctuation:Pd
Decimalnumber:Nd Enclosingmark:Me Finalpunctuation:Pf Format:Cf Initialpunctuation:Pi Letter:L Letternumber:Nl Lineseparator:Zl
Lowercaseletter:Ll Mark:M Mathsymbol:Sm Modifierletter:Lm Modifiersymbol:Sk Nonspacingmark:Mn Number:N Openpunctuation:Ps Other:C
Otherletter:Lo Othernumber:No Otherpunctuation:Po Othersymbol:So Paragraphseparator:Zp Privateuse:Co Punctuation:P Separator:Z
Spaceseparator:Zs Spacingmark:Mc Surrogate:Cs Symbol:S Titlecaseletter:Lt Unassigned:Cn Uppercaseletter:Lu Cntrl:Cc Digit:Nd Punct:P Lc:LC`
    .split(/\s/)
    .map((pair) => pair.split(":") as [string, string]),
);

/** The scripts whose names are one word; Go finds no others. */
const SCRIPTS = new Set(
  `Adlam Ahom Arabic Armenian Avestan Balinese Bamum Batak Bengali Bhaiksuki Bopomofo Brahmi Braille Buginese Buhid Carian Chakma Cham
Cherokee Chorasmian Common Coptic Cuneiform Cypriot Cyrillic Deseret Devanagari Dogra Duployan Elbasan Elymaic Ethiopic Georgian
Glagolitic Gothic Grantha Greek Gujarati Gurmukhi Han Hangul Hanunoo Hatran Hebrew Hiragana Inherited Javanese Kaithi Kannada Katakana
Kawi Kharoshthi Khmer Khojki Khudawadi Lao Latin Lepcha Limbu Lisu Lycian Lydian Mahajani Makasar Malayalam Mandaic Manichaean Marchen
Medefaidrin Miao Modi Mongolian Mro Multani Myanmar Nabataean Nandinagari Newa Nko Nushu Ogham Oriya Osage Osmanya Palmyrene Phoenician
Rejang Runic Samaritan Saurashtra Sharada Shavian Siddham Sinhala Sogdian Soyombo Sundanese Syriac Tagalog Tagbanwa Takri Tamil Tangsa
Tangut Telugu Thaana Thai Tibetan Tifinagh Tirhuta Toto Ugaritic Vai Vithkuqi Wancho Yezidi Yi`.split(/\s/),
);

/** Returns the class of a Unicode name as in `\p{Greek}`; undefined if Go does not know the name. */
export function findUnicodeClass(name: string): RuneSetParts | undefined {
  const [first = "", ...rest] = name.replace(/[-_ ]/g, "");
  const canonical =
    first.replace(/[a-z]/, (letter) => letter.toUpperCase()) + rest.join("").replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  if (canonical === "Any") return { ...createParts(), ranges: [0, 0x10ffff] };
  if (canonical === "Ascii") return { ...createParts(), ranges: [0, 0x7f] };
  if (canonical === "Assigned") return { ...createParts(), complements: [{ ...createParts(), properties: ["\\p{Cn}"] }] };
  const category = CATEGORIES.has(canonical) ? canonical : CATEGORY_ALIASES.get(canonical);
  if (category !== undefined) return { ...createParts(), properties: [`\\p{${category}}`] };
  return SCRIPTS.has(canonical) ? { ...createParts(), properties: [`\\p{Script=${canonical}}`] } : undefined;
}
