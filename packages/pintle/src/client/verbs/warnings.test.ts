import { expect, it } from "vitest";
import { logWarningsOnce, parseWarningHeader } from "./warnings.ts";

it.each([
  ['299 - "unknown field \\"spec.foo\\""', ['unknown field "spec.foo"']],
  ['299 - "one", 299 kube-apiserver "two" "Thu, 01 Jan 2026 00:00:00 GMT"', ["one", "two"]],
  [
    ['299 - "one"', '299 - "a, b"'],
    ["one", "a, b"],
  ],
  ["nonsense", []],
])("parses the Warning header %j", (header, expected) => {
  expect(parseWarningHeader(header)).toEqual(expected);
});

it("logs each text once", () => {
  const logged: string[] = [];
  const sink = logWarningsOnce((line) => logged.push(line));
  for (const text of ["a", "b", "a"]) sink({ text, request: "GET /x" });
  expect(logged).toEqual(["API server warning: a (GET /x)", "API server warning: b (GET /x)"]);
});
