/**
 * Runs the matrix against a real server and records the output. `--kubectl 1.27,1.36` selects kubectl versions, positional
 * arguments select chapters; recordings that are not selected stay unchanged.
 */
import { parseArgs } from "node:util";
import { buildGolden, listMinors, readGolden, selectGolden, writeGolden } from "../../packages/cluster/test/kubectl/golden.ts";
import { findKubectls, type Kubectl } from "../../packages/cluster/test/kubectl/kubectls.ts";
import { runScenario } from "../../packages/cluster/test/kubectl/run-scenario.ts";
import type { KubectlScenario } from "../../packages/cluster/test/kubectl/scenario.ts";
import { goldenFile, readChapters } from "./chapters.ts";
import { startRealServer } from "./real-server.ts";

const { values, positionals } = parseArgs({ options: { kubectl: { type: "string" } }, allowPositionals: true });
const wanted = values.kubectl?.split(",");
const all = await readChapters(positionals);
for (const kubectl of findKubectls()) {
  if (wanted !== undefined && !wanted.includes(kubectl.minor)) continue;
  const began = Date.now();
  for (const on of ["api", "cluster", "operator"] as const) {
    const here = all.filter((chapter) => chapter.on === on);
    if (here.length > 0) await recordOn(on, here, kubectl);
  }
  console.log(`kubectl ${kubectl.minor}: ${Math.round((Date.now() - began) / 1000)} s`);
}

async function recordOn(on: KubectlScenario["on"], here: readonly KubectlScenario[], kubectl: Kubectl): Promise<void> {
  await using server = await startRealServer(on);
  for (const chapter of here) {
    const file = goldenFile(chapter);
    const answers = await runScenario(chapter, kubectl, server.kubeconfig);
    // Read as late as possible: another recorder process may have written its kubectl's recordings meanwhile.
    const golden = await readGolden(file);
    const recordedByMinor = new Map([...listMinors(golden)].map((minor) => [minor, selectGolden(golden, minor)]));
    recordedByMinor.set(kubectl.minor, answers);
    await writeGolden(
      file,
      buildGolden(
        chapter.steps.map(({ run }) => run),
        recordedByMinor,
      ),
    );
  }
}
