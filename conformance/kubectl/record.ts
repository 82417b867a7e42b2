/**
 * Plays the matrix against a real server and keeps its answers. `--kubectl 1.27,1.36` limits the kubectls, words the
 * chapters; what is not played again keeps its answers.
 */
import { parseArgs } from "node:util";
import { goldenFrom, goldenOf, minorsOf, readGolden, writeGolden } from "../../packages/cluster/test/kubectl/golden.ts";
import { findKubectls } from "../../packages/cluster/test/kubectl/kubectls.ts";
import type { Played } from "../../packages/cluster/test/kubectl/play.ts";
import { chapters, goldenFile } from "./chapters.ts";
import { perform } from "./performance.ts";
import { real } from "./real-server.ts";

const { values, positionals } = parseArgs({ options: { kubectl: { type: "string" } }, allowPositionals: true });
const wanted = values.kubectl?.split(",");
const all = await chapters(positionals);
const heard = new Map<string, Map<string, readonly Played[]>>();
for (const chapter of all) {
  const golden = await readGolden(goldenFile(chapter));
  heard.set(chapter.name, new Map([...minorsOf(golden)].map((minor) => [minor, goldenOf(golden, minor)])));
}
for (const kubectl of findKubectls()) {
  if (wanted !== undefined && !wanted.includes(kubectl.minor)) continue;
  const began = Date.now();
  await perform(real, kubectl, all, (chapter, played) => heard.get(chapter.name)!.set(kubectl.minor, played));
  for (const chapter of all) {
    const runs = chapter.steps.map(({ run }) => run);
    await writeGolden(goldenFile(chapter), goldenFrom(runs, heard.get(chapter.name)!));
  }
  console.log(`kubectl ${kubectl.minor}: ${Math.round((Date.now() - began) / 1000)} s`);
}
