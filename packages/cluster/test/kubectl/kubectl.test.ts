import { describe, expect, test } from "vitest";
import { readChapter } from "./chapter.ts";
import { embedded } from "./embedded.ts";
import { goldenOf, minorsOf, readGolden, transcript } from "./golden.ts";
import { findKubectls } from "./kubectls.ts";
import { play } from "./play.ts";

const chapter = await readChapter(new URL("./memcached.yaml", import.meta.url));
const golden = await readGolden(new URL("./memcached.golden.yaml", import.meta.url));
const known = findKubectls().filter(({ minor }) => minorsOf(golden).has(minor));
const kubectls = [...new Set([...known.slice(0, 1), ...known.slice(-1)])];
if (kubectls.length === 0) {
  const minors = [...minorsOf(golden)].join(", ");
  console.warn(`\n!!! SKIPPED: no kubectl of ${minors} on the PATH or beside it, so nothing proves here that one works.\n`);
}

describe.skipIf(kubectls.length === 0)("the Memcached operator under kubectl, as on a real cluster", () => {
  test.concurrent.each(kubectls)("$minor", { timeout: 60_000 }, async (kubectl) => {
    await using server = await embedded(chapter.on);
    const played = await play(chapter, kubectl, server.kubeconfig);
    expect(transcript(played)).toBe(transcript(goldenOf(golden, kubectl.minor)));
  });
});
