import { expect, test } from "vitest";
import { formatIndexes, parseIndexes } from "./completion-indexes.ts";

test.each([
  ["", []],
  ["0", [0]],
  ["0,1", [0, 1]],
  ["0-2,5", [0, 1, 2, 5]],
  ["1,3-5,7,8", [1, 3, 4, 5, 7, 8]],
])("formats and parses the indexes %j", (text, indexes) => {
  expect(formatIndexes(new Set(indexes))).toBe(text);
  expect([...parseIndexes(text)]).toEqual(indexes);
});
