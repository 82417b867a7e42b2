import { expect, it } from "vitest";
import { toRe2 } from "./re2.ts";

it.each<[RegExp, string]>([
  [/^[a-z]([-a-z0-9]*[a-z0-9])?$/, "^[a-z]([-a-z0-9]*[a-z0-9])?$"],
  [/a\/b/, "a\\/b"],
  [/^a$/i, "(?i)^a$"],
  [/(?<year>\d{4})/, "(?P<year>\\d{4})"],
  [/(?:a|b)+?/, "(?:a|b)+?"],
  [/\u00e9\x41/, "\\x{00e9}\\x{41}"],
  [/\u{1F600}/u, "\\x{1F600}"],
  [/\p{L}\P{Lu}/u, "\\p{L}\\P{Lu}"],
  [/[[:alpha:]]/, "[\\[:alpha:]]"],
  [/[\b\0]/, "[\\x08\\x00]"],
  [/[^\]]{1,1000}/, "[^\\]]{1,1000}"],
  [/(a{10}){100}/, "(a{10}){100}"],
  [/a{10}b{999}/, "a{10}b{999}"],
])("translates %s to %s", (pattern, text) => {
  expect(toRe2(pattern)).toEqual({ text });
});

it.each<[RegExp, string]>([
  [/a(?=b)/, "lookahead and lookbehind"],
  [/a(?!b)/, "lookahead and lookbehind"],
  [/(?<=a)b/, "lookahead and lookbehind"],
  [/(?<!a)b/, "lookahead and lookbehind"],
  [/(a)\1/, "back references"],
  [/(?<a>a)\k<a>/, "back references"],
  [/^a$/m, "flag m"],
  [/a.b/s, "flag s"],
  // biome-ignore lint/correctness/noEmptyCharacterClassInRegex: the subject of the case
  [/[^]/, "classes [] and [^]"],
  [/\cA/, "escape \\c"],
  [/[a-\d]/, "ranges that end in a class, like [a-\\d]"],
  [/\p{Script=Greek}/u, "property \\p{Script=Greek}"],
  [/a{1001}/, "more than 1000 repetitions"],
  [/((a{10}){10}b){11}/, "more than 1000 repetitions"],
])("reports that RE2 cannot express %s", (pattern, missing) => {
  expect(toRe2(pattern)).toEqual({ missing });
});
