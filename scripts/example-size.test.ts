import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** Lines in `src`, with empty lines and comments (`wc -l`), that an operator may have. What the library makes longer shows here. */
const LIMITS = { cronjob: 193, postgres: 227, tenant: 108, website: 161, "pod-policy": 33 };

test.each(Object.entries(LIMITS))("examples/%s has at most %i lines of source", (name, limit) => {
  const folder = new URL(`../examples/${name}/src/`, import.meta.url);
  const lines = readdirSync(folder).flatMap((file) => readFileSync(new URL(file, folder), "utf8").trimEnd().split("\n"));
  expect(lines.length).toBeLessThanOrEqual(limit);
});
