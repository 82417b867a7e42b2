import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Chapter } from "../../packages/cluster/test/kubectl/chapter.ts";
import { embedded } from "../../packages/cluster/test/kubectl/embedded.ts";
import { goldenOf, readGolden, transcript } from "../../packages/cluster/test/kubectl/golden.ts";
import { findKubectls, type Kubectl } from "../../packages/cluster/test/kubectl/kubectls.ts";
import { play } from "../../packages/cluster/test/kubectl/play.ts";
import type { Server } from "../../packages/cluster/test/kubectl/server.ts";
import { full, seed } from "../sampling.ts";
import { chapters, goldenFile } from "./chapters.ts";
import { real } from "./real-server.ts";

const minute = 60_000;
const found = findKubectls();
if (found.length === 0) console.warn("\n!!! SKIPPED: no kubectl on the PATH, beside it, or built by: npm run real:build\n");
const kubectls = chosen(found);
const all = await chapters();
const grounds = (["api", "cluster", "operator"] as const).map((on) => ({ on, here: all.filter((chapter) => chapter.on === on) }));

/** Both servers answer every command as the real one did when its answers were recorded: then they answer alike. */
describe.skipIf(found.length === 0).each(kubectls)("kubectl $minor", (kubectl) => {
  describe.each([
    { name: "the embedded cluster", start: embedded },
    { name: "a real server", start: real },
  ])("on $name", ({ start }) => {
    describe.each(grounds)("$on", { timeout: 10 * minute }, ({ on, here }) => {
      let server: Server;
      beforeAll(async () => {
        server = await start(on);
      });
      afterAll(() => server?.[Symbol.asyncDispose]());

      test.each(here)("$name", async (chapter) => {
        const played = await play(chapter, kubectl, server.kubeconfig);
        expect(transcript(played)).toBe(await recorded(chapter, kubectl));
      });
    });
  });
});

async function recorded(chapter: Chapter, { minor }: Kubectl): Promise<string> {
  return transcript(goldenOf(await readGolden(goldenFile(chapter)), minor));
}

/** A sample is the oldest, the newest, and one in between. */
function chosen(kubectls: readonly Kubectl[]): readonly Kubectl[] {
  if (full || kubectls.length < 3) return kubectls;
  const middle = 1 + (seed % (kubectls.length - 2));
  return kubectls.filter((_, index) => index === 0 || index === middle || index === kubectls.length - 1);
}
