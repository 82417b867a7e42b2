import { expect, test } from "vitest";
import { findDenied } from "./vocabulary.ts";

test.each([
  ["const openEyes = 1;", ["eyes"]],
  ["// Somebody else wrote it", ["somebody"]],
  ["TCPLane web-lane lane_count", ["lane", "lane", "lane"]],
  ["an island of planes", []],
  ["", []],
])("reports the denied words of %j", (text, words) => {
  expect(findDenied(text).map(({ word }) => word)).toEqual(words);
});

test("reports the line of each finding", () => {
  expect(findDenied("fine\n\nthe shelf")).toEqual([{ line: 3, word: "shelf" }]);
});
