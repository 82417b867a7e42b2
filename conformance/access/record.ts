/**
 * Runs every access scenario on a real kube-apiserver and records its responses for the tests that run without one. Arguments
 * select suites. `node --conditions=@pintle/source --import tsx conformance/access/record.ts`
 */
import { writeGolden } from "../../packages/cluster/test/access/golden-files.ts";
import { createFixtures, runScenario } from "../../packages/cluster/test/access/scenario.ts";
import { suites } from "../../packages/cluster/test/access/suites.ts";
import { startRealTarget } from "./real-target.ts";

const requestedSuites = process.argv.slice(2);
for (const [suite, steps] of Object.entries(suites)) {
  if (requestedSuites.length > 0 && !requestedSuites.includes(suite)) continue;
  await using real = await startRealTarget();
  await createFixtures(real);
  const answers = await runScenario(real, steps);
  await writeGolden(suite, answers);
  console.log(`${suite}: ${Object.keys(answers).length} answers`);
}
