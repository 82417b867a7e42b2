import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { DEFAULTS } from "../packages/pintle/src/manager/defaults.ts";
import { defaultsPage, PAGE, wrongMentions } from "./defaults.ts";

const read = (file: string) => readFileSync(new URL(`../${file}`, import.meta.url), "utf8");

test("docs/defaults.md is what `npm run defaults` writes", () => {
  expect(read(PAGE)).toBe(defaultsPage());
});

test("doc comments and pages name the values of the code", () => {
  expect(wrongMentions()).toEqual([]);
});

test("the doc comment of an option names every default", () => {
  const options = ["manager/options.ts", "manager/create-logger.ts", "controller/declare/options.ts"]
    .map((file) => read(`packages/pintle/src/${file}`))
    .join("\n");
  expect(Object.keys(DEFAULTS).filter((name) => !options.includes(`\`DEFAULTS.${name}\` (`))).toEqual([]);
});
