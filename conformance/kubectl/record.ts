/**
 * Plays the matrix against a real server and keeps its answers. `--kubectl 1.27,1.36` limits the kubectls, words the
 * chapters; what is not played again keeps its answers.
 */
import { parseArgs } from "node:util";
import type { Chapter } from "../../packages/cluster/test/kubectl/chapter.ts";
import { goldenFrom, goldenOf, minorsOf, readGolden, writeGolden } from "../../packages/cluster/test/kubectl/golden.ts";
import { findKubectls, type Kubectl } from "../../packages/cluster/test/kubectl/kubectls.ts";
import { play } from "../../packages/cluster/test/kubectl/play.ts";
import { chapters, goldenFile } from "./chapters.ts";
import { real } from "./real-server.ts";

const { values, positionals } = parseArgs({ options: { kubectl: { type: "string" } }, allowPositionals: true });
const wanted = values.kubectl?.split(",");
const all = await chapters(positionals);
for (const kubectl of findKubectls()) {
  if (wanted !== undefined && !wanted.includes(kubectl.minor)) continue;
  const began = Date.now();
  for (const on of ["api", "cluster", "operator"] as const) {
    const here = all.filter((chapter) => chapter.on === on);
    if (here.length > 0) await recordOn(on, here, kubectl);
  }
  console.log(`kubectl ${kubectl.minor}: ${Math.round((Date.now() - began) / 1000)} s`);
}

async function recordOn(on: Chapter["on"], here: readonly Chapter[], kubectl: Kubectl): Promise<void> {
  await using server = await real(on);
  for (const chapter of here) {
    const file = goldenFile(chapter);
    const answers = await play(chapter, kubectl, server.kubeconfig);
    // Read only now: another recorder may have written its kubectl's answers meanwhile.
    const golden = await readGolden(file);
    const heard = new Map([...minorsOf(golden)].map((minor) => [minor, goldenOf(golden, minor)]));
    heard.set(kubectl.minor, answers);
    await writeGolden(
      file,
      goldenFrom(
        chapter.steps.map(({ run }) => run),
        heard,
      ),
    );
  }
}
