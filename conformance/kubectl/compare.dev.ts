import { parseArgs } from "node:util";
import { writeFileSync } from "node:fs";
import { execFileSync, spawnSync } from "node:child_process";
import { goldenOf, readGolden, transcript } from "/work/main/packages/cluster/test/kubectl/golden.ts";
import { findKubectls } from "/work/main/packages/cluster/test/kubectl/kubectls.ts";
import { chapters, goldenFile } from "/work/main/conformance/kubectl/chapters.ts";
import { perform } from "/work/main/conformance/kubectl/performance.ts";
import { embedded } from "/work/main/conformance/kubectl/servers.ts";
const { values, positionals } = parseArgs({ options: { kubectl: { type: "string" } }, allowPositionals: true });
const wanted = values.kubectl?.split(",");
const all = await chapters(positionals);
for (const kubectl of findKubectls()) {
  if (wanted !== undefined && !wanted.includes(kubectl.minor)) continue;
  const began = Date.now();
  const done: [any, any][] = [];
  await perform(embedded, kubectl, all, (chapter, played) => { done.push([chapter, played]); });
  for (const [chapter, played] of done) {
    const golden = goldenOf(await readGolden(goldenFile(chapter)), kubectl.minor);
    writeFileSync("/tmp/a.txt", transcript(golden)); writeFileSync("/tmp/b.txt", transcript(played));
    const d = spawnSync("diff", ["-U4", "/tmp/a.txt", "/tmp/b.txt"], { encoding: "utf8" });
    console.log(`=== ${kubectl.minor} ${chapter.name}: ${played.length} commands ${d.status === 0 ? "equal" : "DIFFER"}`);
    if (d.stdout) console.log(d.stdout);
  }
  console.log(`kubectl ${kubectl.minor}: ${Math.round((Date.now() - began) / 1000)} s`);
}
