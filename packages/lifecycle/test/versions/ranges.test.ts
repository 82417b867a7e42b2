import { describe, expect, test } from "vitest";
import { parseBlangRange, parseMastermindsRange, parseVersion, type VersionRange } from "../../src/versions/index.ts";

/** Range, versions that match, versions that do not. Recorded from the Go libraries; conformance/lifecycle compares many more. */
type Case = readonly [range: string, matching: readonly string[], other: readonly string[]];

const MASTERMINDS: readonly Case[] = [
  ["1.2.3", ["1.2.3", "1.2.3+build"], ["1.2.4", "1.2.3-rc.1"]],
  ["1.2", ["1.2.0", "1.2.9"], ["1.3.0", "1.2.0-rc.1"]],
  ["1.x || 3.x", ["1.9.9", "3.0.0"], ["2.0.0"]],
  ["*", ["0.0.0", "10.0.0"], ["1.0.0-rc.1"]],
  [">1.2", ["1.3.0", "2.0.0"], ["1.2.9"]],
  [">1.2.3", ["1.2.4"], ["1.2.3"]],
  ["<=1.2", ["1.2.9", "0.1.0"], ["1.3.0"]],
  ["1.2 - 1.4", ["1.2.0", "1.4.9"], ["1.5.0", "1.1.9"]],
  ["~1.2.3", ["1.2.9"], ["1.3.0", "1.2.2"]],
  ["~0.0.0", ["0.0.0", "9.9.9"], []],
  ["^1.2", ["1.9.0"], ["2.0.0", "1.1.0"]],
  ["^0.2.3", ["0.2.9"], ["0.3.0", "1.0.0"]],
  ["^0.0.3", ["0.0.3"], ["0.0.4"]],
  ["!=1.2.x", ["1.3.0"], ["1.2.5"]],
  [">=1.2.0-0", ["1.2.0-rc.1", "1.2.0"], ["1.1.9"]],
  [">=1.0.0, <2.0.0", ["1.5.0"], ["2.0.0"]],
];

const BLANG: readonly Case[] = [
  [">=1.0.0 <2.0.0", ["1.0.0", "1.9.9", "2.0.0-rc.1"], ["2.0.0", "0.9.9"]],
  ["<2.0.0 || >=3.0.0", ["1.0.0", "3.0.0"], ["2.5.0"]],
  ["!1.2.3", ["1.2.4"], ["1.2.3"]],
  ["1.2.x", ["1.2.0", "1.2.9"], ["1.3.0"]],
  ["1.x.x", ["1.0.9"], ["1.1.0"]],
  [">1.x", ["2.0.0"], ["1.9.9"]],
  ["<= 1.2.3", ["1.2.3"], ["1.2.4"]],
  ["~1.x", ["1.0.0"], ["1.5.0"]],
];

describe.each([
  ["Masterminds", parseMastermindsRange, MASTERMINDS],
  ["blang", parseBlangRange, BLANG],
] as const)("%s", (_, parse, cases) => {
  test.each(cases)("%s matches %j and not %j", (range, matching, other) => {
    const matches = parse(range);
    expect(matching.filter((text) => !matches(parseVersion(text)))).toEqual([]);
    expect(other.filter((text) => matches(parseVersion(text)))).toEqual([]);
  });
});

test.each<[(text: string) => VersionRange, string, string]>([
  [parseMastermindsRange, "", `improper constraint: ""`],
  [parseMastermindsRange, ">1.0.0<2.0.0", `improper constraint: ">1.0.0<2.0.0"`],
  [parseMastermindsRange, "01x", "constraint parser error"],
  [parseMastermindsRange, "1 ".repeat(300), "constraint string is too long (max 512 bytes)"],
  [parseMastermindsRange, "1||".repeat(40), "too many constraint groups (max 32)"],
  [parseBlangRange, "", "Last element in range is '||'"],
  [parseBlangRange, "|| 1.0.0", "First element in range is '||'"],
  [parseBlangRange, "latest", `Could not get version from string: "latest"`],
  [parseBlangRange, "~1.0.0", `Could not parse Range "~1.0.0": Could not parse comparator "~" in "~1.0.0"`],
  [
    parseBlangRange,
    ">=1.0",
    `Could not parse Range ">=1.0": Could not parse version "1.0" in ">=1.0": No Major.Minor.Patch elements found`,
  ],
])("an invalid range is refused with the text of its Go library", (parse, range, message) => {
  expect(() => parse(range)).toThrow(expect.objectContaining({ message, code: "PINTLE8002" }));
});

test("hostile ranges are parsed in linear time", () => {
  const started = performance.now();
  for (const range of [" ".repeat(511), `1${" ".repeat(509)}a`, "1 - ".repeat(127), "-".repeat(512), "x".repeat(512)]) {
    expect(() => parseMastermindsRange(range)).toThrow();
  }
  for (const range of [" ".repeat(100_000), "x.".repeat(50_000), "1.0.0 || ".repeat(10_000)])
    expect(() => parseBlangRange(range)).toThrow();
  expect(performance.now() - started).toBeLessThan(2_000);
});
