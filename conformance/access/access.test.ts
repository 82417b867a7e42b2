import { expect, test } from "vitest";
import { goldenOf } from "../../packages/cluster/test/access/files.ts";
import { furnish, play } from "../../packages/cluster/test/access/script.ts";
import { suites } from "../../packages/cluster/test/access/suites.ts";
import { full, seed } from "../sampling.ts";
import { realTarget } from "./real-target.ts";

/** A sample is two of them, others every day. The embedded server is held to the same answers by `npm test`. */
const all = Object.entries(suites);
const chosen = full ? all : [0, 1].map((n) => all[(2 * seed + n) % all.length] as (typeof all)[number]);

test.each(chosen)("a real server still answers so: %s", { timeout: 120_000 }, async (suite, steps) => {
  await using real = await realTarget();
  await furnish(real);
  expect(await play(real, steps)).toEqual(await goldenOf(suite));
});
