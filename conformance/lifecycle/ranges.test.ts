import {
  formatVersion,
  parseBlangRange,
  parseMastermindsRange,
  parseVersion,
  type VersionRange,
} from "@pintle/lifecycle/internal/versions";
import { afterAll, describe, expect, test } from "vitest";
import { createRandom } from "../apply/random.ts";
import { full, seed } from "../sampling.ts";
import { findReference, Reference, type ReferenceResult } from "./reference.ts";

const file = findReference();

describe.runIf(file !== undefined)(`version ranges, seed ${seed}`, () => {
  const reference = new Reference(file ?? "");
  afterAll(() => reference.stop());
  const { pick } = createRandom(seed);
  const count = full ? 20_000 : 1_500;

  const VERSIONS = [
    ...[
      "0.0.0",
      "0.0.1",
      "0.1.0",
      "0.1.2",
      "0.2.0",
      "1.0.0",
      "1.0.1",
      "1.1.0",
      "1.2.0",
      "1.2.3",
      "1.2.4",
      "1.3.0",
      "1.9.9",
      "2.0.0",
      "2.1.0",
    ],
    ...[
      "3.0.0",
      "10.0.0",
      "1.2.3-alpha",
      "1.2.3-alpha.1",
      "1.2.3-alpha.beta",
      "1.2.3-1",
      "1.2.3-2",
      "1.3.0-rc.1",
      "0.0.0-0",
      "2.0.0-rc.10",
    ],
    ...["1.2.3+build", "1.2.3-rc.1+5", "18446744073709551615.0.0"],
  ];
  const NUMBERS = ["0", "1", "2", "3", "10", "x", "X", "*", "01", "1x", "1|2", "18446744073709551616", "99"];
  const SUFFIXES = ["", "", "", "", "-alpha", "-alpha.1", "-1", "-01", "-0", "-rc.1+b.1", "+build", "-", "-a..b", "-x", "-é", "+", "-rc_1"];
  const OPERATORS = ["", "", "=", "==", "!=", "!", ">", "<", ">=", "=>", "<=", "=<", "~", "~>", "^", "^^", "><"];
  const SEPARATORS = [" ", " ", ", ", ",", " || ", "||", "  ", " - ", "-", "\t", " ||| ", ", ,", " || || ", " , "];

  const makeVersion = () =>
    `${pick(["", "", "", "v"])}${Array.from({ length: pick([1, 2, 3, 3, 3, 4]) }, () => pick(NUMBERS)).join(".")}${pick(SUFFIXES)}`;
  const makeRange = () => {
    const parts = Array.from({ length: pick([1, 1, 2, 2, 3]) }, () => `${pick(OPERATORS)}${pick(["", "", " "])}${makeVersion()}`);
    return pick(["", "", " ", "x"]).concat(
      parts.reduce((text, part) => `${text}${pick(SEPARATORS)}${part}`),
      pick(["", "", " ", ",", " ||"]),
    );
  };

  test.each([
    ["masterminds", parseMastermindsRange],
    ["blang", parseBlangRange],
  ] as const)("%s: the same versions match, and errors have the same text", async (op, parse) => {
    const fixed = [
      "",
      " ",
      "*",
      "||",
      "1.x.x",
      ">1.x",
      "1.2 - 1.4",
      "1.2.3 - 2",
      "a 1.0 - 2.0 b",
      ">=1.0.0 <2.0.0",
      "1.0.0||2.0.0",
      "9".repeat(600),
      "1 ".repeat(200),
      "1||".repeat(40),
    ];
    for (const range of [...fixed, ...Array.from({ length: count }, makeRange)]) {
      const answer = await reference.ask({ op, range, versions: VERSIONS });
      // A range with an empty alternative makes the Go library call a nil function.
      if (answer.panic !== undefined) continue;
      expect({ range, ...evaluateRange(parse, range, VERSIONS) }).toEqual({ range, ...answer });
    }
  });

  test("versions are parsed as by the reference, and errors have the same text", async () => {
    for (const range of ["", ".", "..", "1.2.3.4", ...VERSIONS, ...Array.from({ length: count }, makeVersion)]) {
      const answer = await reference.ask({ op: "version", range });
      expect({ range, ...parseOrError(range) }).toEqual({ range, ...answer });
    }
  });
});

function evaluateRange(parse: (text: string) => VersionRange, range: string, versions: readonly string[]): ReferenceResult {
  let matches: VersionRange;
  try {
    matches = parse(range);
  } catch (error) {
    return { error: (error as Error).message };
  }
  return { matches: versions.map((text) => matches(parseVersion(text))) };
}

function parseOrError(text: string): ReferenceResult {
  try {
    return { value: formatVersion(parseVersion(text)) };
  } catch (error) {
    return { error: (error as Error).message };
  }
}
