import { expect, test } from "vitest";
import { WarningRecorder } from "./warnings.ts";

test("WarningRecorder returns each warning once, quoted, on one line, and drops what exceeds the total length", () => {
  const recorder = new WarningRecorder();
  expect(recorder.headerValues()).toBeUndefined();
  recorder.add('unknown field "a"');
  recorder.add('unknown field "a"');
  recorder.add("two\nlines");
  recorder.add("x".repeat(5000));
  expect(recorder.headerValues()).toEqual(['299 - "unknown field \\"a\\""', '299 - "two lines"']);
});
