import { expect, test } from "vitest";
import { fuzzParser } from "./fuzz-parser.ts";
import { parsers } from "./parsers.ts";

test.each(parsers)("the parser of $name throws only its own errors for mutated input", async (parser) => {
  const { accepted, failures } = await fuzzParser(parser, 1, 500);
  expect(failures).toEqual([]);
  // Some mutations stay valid, so that more than the first check of a parser runs.
  expect(accepted).toBeGreaterThan(0);
});
