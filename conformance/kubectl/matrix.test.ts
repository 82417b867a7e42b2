import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startEmbeddedServer } from "../../packages/cluster/test/kubectl/embedded-server.ts";
import { formatTranscript, listMinors, readGolden, selectGolden } from "../../packages/cluster/test/kubectl/golden.ts";
import { findKubectls, keepRecorded } from "../../packages/cluster/test/kubectl/kubectls.ts";
import { runScenario } from "../../packages/cluster/test/kubectl/run-scenario.ts";
import { selectSteps } from "../../packages/cluster/test/kubectl/scenario.ts";
import type { ScenarioServer } from "../../packages/cluster/test/kubectl/scenario-server.ts";
import { full, seed } from "../sampling.ts";
import { goldenFile, readChapters } from "./chapters.ts";
import { FORMS } from "./forms.ts";
import { startRealServer } from "./real-server.ts";
import { allRuns, type ChapterRun, chunkRuns, groupByServer, sampleRuns, selectQuickestRun } from "./sample.ts";

const timeout = 10 * 60_000;
const all = await readChapters();
const goldens = await Promise.all(all.map((chapter) => readGolden(goldenFile(chapter))));
const minors = new Set(goldens.flatMap((golden) => [...listMinors(golden)]));
const kubectls = keepRecorded(findKubectls(), (minor) => minors.has(minor));
const runs = full ? allRuns(kubectls, all) : sampleRuns(kubectls, all, seed);
const again = full ? runs : selectQuickestRun(runs);

if (kubectls.length === 0) console.warn("\n!!! SKIPPED: no kubectl on the PATH, beside it, or built by: npm run real:build\n");
const counts = kubectls.map(({ minor }) => `${minor}: ${commands(minor).length}`).join(", ");
console.log(`kubectl matrix, commands per version: ${counts}; this run executes ${count(runs)} here, ${count(again)} on a real server`);

describe.skipIf(kubectls.length === 0).each(kubectls)("kubectl $minor", ({ minor }) => {
  test("runs at least 120 commands", () => {
    expect(commands(minor).length).toBeGreaterThanOrEqual(120);
  });

  test("covers every command form", () => {
    expect(FORMS.filter((form) => !commands(minor).some((run) => form.test(run)))).toEqual([]);
  });

  test.each(all)("has a recording for every step of $name", async (chapter) => {
    const readRecorded = selectGolden(await readGolden(goldenFile(chapter)), minor);
    expect(readRecorded.map(({ run }) => run)).toEqual(selectSteps(chapter, minor).map(({ run }) => run));
  });
});

/** Both servers must print what was recorded from a real server; then their output is equal. */
describe.each(chunkRuns(runs, 2))("on the embedded cluster", ({ runs }) => {
  test.concurrent.each(runs)("kubectl $kubectl.minor: $chapter.name", { timeout }, async (run) => {
    await using server = await startEmbeddedServer(run.chapter.on);
    expect(await runChapter(run, server)).toBe(await readRecorded(run));
  });
});

describe.each(groupByServer(again))("on a real server, with kubectl $minor", ({ on, runs }) => {
  let server: ScenarioServer;
  beforeAll(async () => {
    server = await startRealServer(on);
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  test.each(runs)("$chapter.name", { timeout }, async (run) => {
    expect(await runChapter(run, server)).toBe(await readRecorded(run));
  });
});

async function runChapter({ chapter, kubectl }: ChapterRun, { kubeconfig }: ScenarioServer): Promise<string> {
  return formatTranscript(await runScenario(chapter, kubectl, kubeconfig));
}

async function readRecorded({ chapter, kubectl }: ChapterRun): Promise<string> {
  return formatTranscript(selectGolden(await readGolden(goldenFile(chapter)), kubectl.minor));
}

function commands(minor: string): readonly string[] {
  return all.flatMap((chapter) => selectSteps(chapter, minor).map(({ run }) => run));
}

function count(of: readonly ChapterRun[]): number {
  return of.reduce((sum, { chapter, kubectl }) => sum + selectSteps(chapter, kubectl.minor).length, 0);
}
