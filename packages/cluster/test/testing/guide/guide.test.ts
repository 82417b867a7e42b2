import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const GUIDE = join(import.meta.dirname, "../../../../../docs/testing.md");
const flat = (text: string) => text.replaceAll(/^\s+/gm, "");
const tests = readdirSync(import.meta.dirname).map((name) => flat(readFileSync(join(import.meta.dirname, name), "utf8")));
const snippets = [...readFileSync(GUIDE, "utf8").matchAll(/```ts\n([\s\S]*?)```/g)].map(([, text]) => text as string);

test.each(snippets.map((text) => ({ first: text.split("\n", 1)[0], text })))("docs/testing.md: $first: is a part of a test", ({ text }) => {
  expect(tests.some((each) => each.includes(flat(text)))).toBe(true);
});
