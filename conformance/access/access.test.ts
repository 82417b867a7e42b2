import { expect, test } from "vitest";
import { readGolden } from "../../packages/cluster/test/access/golden-files.ts";
import { createFixtures, runScenario } from "../../packages/cluster/test/access/scenario.ts";
import { suites } from "../../packages/cluster/test/access/suites.ts";
import { full, seed } from "../sampling.ts";
import { startRealTarget } from "./real-target.ts";

/** A sample run takes two suites, others with another seed. `npm test` compares the embedded server with the recorded responses. */
const all = Object.entries(suites);
const chosen = full ? all : [0, 1].map((n) => all[(2 * seed + n) % all.length] as (typeof all)[number]);

test.each(chosen)("a real server still answers so: %s", { timeout: 120_000 }, async (suite, steps) => {
  await using real = await startRealTarget();
  await createFixtures(real);
  expect(await runScenario(real, steps)).toEqual(await readGolden(suite));
});
