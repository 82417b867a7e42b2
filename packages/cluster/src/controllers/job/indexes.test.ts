import { expect, test } from "vitest";
import { indexesText, parseIndexes } from "./indexes.ts";

test.each([
  ["", []],
  ["0", [0]],
  ["0,1", [0, 1]],
  ["0-2,5", [0, 1, 2, 5]],
  ["1,3-5,7,8", [1, 3, 4, 5, 7, 8]],
])("%j", (text, indexes) => {
  expect(indexesText(new Set(indexes))).toBe(text);
  expect([...parseIndexes(text)]).toEqual(indexes);
});
