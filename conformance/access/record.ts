/**
 * Plays every access script on a real kube-apiserver and keeps its answers for the tests that run without one. Words
 * name suites. `node --conditions=@pintle/source --import tsx conformance/access/record.ts`
 */
import { writeGolden } from "../../packages/cluster/test/access/files.ts";
import { furnish, play } from "../../packages/cluster/test/access/script.ts";
import { suites } from "../../packages/cluster/test/access/suites.ts";
import { realTarget } from "./real-target.ts";

const wanted = process.argv.slice(2);
for (const [suite, steps] of Object.entries(suites)) {
  if (wanted.length > 0 && !wanted.includes(suite)) continue;
  await using real = await realTarget();
  await furnish(real);
  const answers = await play(real, steps);
  await writeGolden(suite, answers);
  console.log(`${suite}: ${Object.keys(answers).length} answers`);
}
