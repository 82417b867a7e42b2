import { expect, test } from "vitest";
import { goldenOf } from "../../packages/cluster/test/access/files.ts";
import { furnish, play } from "../../packages/cluster/test/access/script.ts";
import { suites } from "../../packages/cluster/test/access/suites.ts";
import { realTarget } from "./real-target.ts";

/** The embedded server is held to the same answers by `npm test`. */
test.each(Object.entries(suites))("a real server still answers so: %s", { timeout: 120_000 }, async (suite, steps) => {
  await using real = await realTarget();
  await furnish(real);
  expect(await play(real, steps)).toEqual(await goldenOf(suite));
});
