import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { stepsFor } from "../../packages/cluster/test/kubectl/chapter.ts";
import { embedded } from "../../packages/cluster/test/kubectl/embedded.ts";
import { goldenOf, readGolden, transcript } from "../../packages/cluster/test/kubectl/golden.ts";
import { findKubectls } from "../../packages/cluster/test/kubectl/kubectls.ts";
import { play } from "../../packages/cluster/test/kubectl/play.ts";
import type { Server } from "../../packages/cluster/test/kubectl/server.ts";
import { full, seed } from "../sampling.ts";
import { chapters, goldenFile } from "./chapters.ts";
import { FORMS } from "./forms.ts";
import { real } from "./real-server.ts";
import { grounds, lanes, quickest, type Run, third, whole } from "./sample.ts";

const timeout = 10 * 60_000;
const kubectls = findKubectls();
const all = await chapters();
const runs = full ? whole(kubectls, all) : third(kubectls, all, seed);
const again = full ? runs : quickest(runs);

if (kubectls.length === 0) console.warn("\n!!! SKIPPED: no kubectl on the PATH, beside it, or built by: npm run real:build\n");
const counts = kubectls.map(({ minor }) => `${minor}: ${commands(minor).length}`).join(", ");
console.log(`kubectl matrix, commands per version: ${counts}; this run plays ${count(runs)} here, ${count(again)} on a real server`);

describe.skipIf(kubectls.length === 0).each(kubectls)("kubectl $minor", ({ minor }) => {
  test("has at least 120 commands", () => {
    expect(commands(minor).length).toBeGreaterThanOrEqual(120);
  });

  test("has every form", () => {
    expect(FORMS.filter((form) => !commands(minor).some((run) => form.test(run)))).toEqual([]);
  });

  test.each(all)("was recorded in $name as it is", async (chapter) => {
    const recorded = goldenOf(await readGolden(goldenFile(chapter)), minor);
    expect(recorded.map(({ run }) => run)).toEqual(stepsFor(chapter, minor).map(({ run }) => run));
  });
});

/** Both servers answer every command as the real one did when its answers were recorded: then they answer alike. */
describe.each(lanes(runs, 2))("on the embedded cluster", ({ runs }) => {
  test.concurrent.each(runs)("kubectl $kubectl.minor: $chapter.name", { timeout }, async (run) => {
    await using server = await embedded(run.chapter.on);
    expect(await heard(run, server)).toBe(await recorded(run));
  });
});

describe.each(grounds(again))("on a real server, with kubectl $minor", ({ on, runs }) => {
  let server: Server;
  beforeAll(async () => {
    server = await real(on);
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  test.each(runs)("$chapter.name", { timeout }, async (run) => {
    expect(await heard(run, server)).toBe(await recorded(run));
  });
});

async function heard({ chapter, kubectl }: Run, { kubeconfig }: Server): Promise<string> {
  return transcript(await play(chapter, kubectl, kubeconfig));
}

async function recorded({ chapter, kubectl }: Run): Promise<string> {
  return transcript(goldenOf(await readGolden(goldenFile(chapter)), kubectl.minor));
}

function commands(minor: string): readonly string[] {
  return all.flatMap((chapter) => stepsFor(chapter, minor).map(({ run }) => run));
}

function count(of: readonly Run[]): number {
  return of.reduce((sum, { chapter, kubectl }) => sum + stepsFor(chapter, kubectl.minor).length, 0);
}
