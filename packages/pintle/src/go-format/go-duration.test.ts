import { expect, test } from "vitest";
import { parseGoDuration } from "./go-duration.ts";

test.each([
  ["0", 0n],
  ["-0", 0n],
  ["5s", 5_000_000_000n],
  ["1h30m", 5_400_000_000_000n],
  ["-1.5h", -5_400_000_000_000n],
  [".5s", 500_000_000n],
  ["5.s", 5_000_000_000n],
  ["+1us1µs1μs", 3_000n],
  ["0.3333333333333333333h", 1_200_000_000_000n],
  ["9007199254.740993s", 9_007_199_254_740_993_000n],
  ["-9223372036854775808ns", -(2n ** 63n)],
  ["9223372036854775.807us", 2n ** 63n - 1n],
  [`${"0".repeat(50)}1s`, 1_000_000_000n],
])("parses %s", (text, nanoseconds) => expect(parseGoDuration(text)).toEqual({ nanoseconds }));

test.each([
  ["", 'time: invalid duration ""'],
  ["-", 'time: invalid duration "-"'],
  ["s", 'time: invalid duration "s"'],
  [".", 'time: invalid duration "."'],
  [".s", 'time: invalid duration ".s"'],
  ["3", 'time: missing unit in duration "3"'],
  ["1.2.3s", 'time: missing unit in duration "1.2.3s"'],
  ["5 s", 'time: unknown unit " s" in duration "5 s"'],
  ["1d", 'time: unknown unit "d" in duration "1d"'],
  ["1constructor", 'time: unknown unit "constructor" in duration "1constructor"'],
  ['1"é\n', String.raw`time: unknown unit "\"\xc3\xa9\x0a" in duration "1\"\xc3\xa9\x0a"`],
  ["9223372036854775808ns", 'time: invalid duration "9223372036854775808ns"'],
  ["99999999999999999999ns", 'time: invalid duration "99999999999999999999ns"'],
  ["2562048h", 'time: invalid duration "2562048h"'],
])("rejects %j with Go's text", (text, error) => expect(parseGoDuration(text)).toEqual({ error }));
