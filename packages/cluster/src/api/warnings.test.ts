import { expect, test } from "vitest";
import { warnings } from "./warnings.ts";

test("each is said once, quoted, on one line, and not without end", () => {
  const told = warnings();
  told.add('unknown field "a"');
  told.add('unknown field "a"');
  told.add("two\nlines");
  told.add("x".repeat(5000));
  expect(told.headers()).toEqual(['299 - "unknown field \\"a\\""', '299 - "two lines"']);
});
