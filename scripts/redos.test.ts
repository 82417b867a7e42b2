import { expect, test } from "vitest";
import { analyzeRegex, findRegexes } from "./redos.ts";

test("finds literals, and constructor calls with constants of the module", () => {
  const { found, unknown } = findRegexes(`
    const PART = "[a-z]+";
    export const WHOLE = new RegExp(\`^\${PART}(?:,\${PART})*$\`, "u");
    const literal = (text: string) => text.replace(/a+$/g, "").split("/");
    const joined = RegExp("^" + literal2.source);
    const literal2 = /b/;
  `);
  expect(unknown).toEqual([]);
  expect(found.map(({ line, source, flags }) => `${line} /${source}/${flags}`)).toEqual([
    "3 /^[a-z]+(?:,[a-z]+)*$/u",
    "4 /a+$/g",
    "5 /^b/",
    "6 /b/",
  ]);
});

test("reports expressions that are not constant, unless they are listed", () => {
  const text = "export const search = (word: string) => new RegExp(`^ *$" + "{word}: `);";
  expect(findRegexes(text).unknown).toEqual([{ line: 1, expression: "word" }]);
  const listed = findRegexes(text, { word: "a field name" });
  expect(listed.unknown).toEqual([]);
  expect([...listed.used]).toEqual(["word"]);
  expect(listed.found).toEqual([{ line: 1, source: "^ *x1: ", flags: "" }]);
});

test.each(["\\/+$", "^(a|a)*b$", "^(\\d+\\.?\\d*)s$", "\\d+x"])("rejects %s", async (source) => {
  expect(await analyzeRegex({ source, flags: "" })).toEqual({ rejected: expect.stringMatching(/polynomial|exponential/) });
});

test.each(["^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", "^\\d+(\\.\\d*)?s$", "[/]"])("accepts %s", async (source) => {
  expect(await analyzeRegex({ source, flags: "" })).toEqual({ accepted: expect.any(String) });
});
