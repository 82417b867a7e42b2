import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { renderUpgradingPage } from "./upgrading.ts";

test("docs/upgrading.md lists what `pintle upgrade` rewrites", () => {
  const text = readFileSync(new URL("../docs/upgrading.md", import.meta.url), "utf8");
  expect(text).toBe(renderUpgradingPage(text));
});
