import { afterAll, beforeAll, expect, test } from "vitest";
import { type CrashGround, expectSameStates, rollBackWithCrashes, runWithCrashes } from "../../packages/cli/test/lifecycle/crashes.ts";
import { full, seed } from "../sampling.ts";
import { startProcessGround } from "./killed-managers.ts";

/** Schedules of each kind: 500 together with `--full`. */
const COUNT = Number(process.env["PINTLE_CRASH_COUNT"] ?? (full ? 250 : 3));
/** The policy gives a revision one second; up to eight starts of processes on a busy machine come to it. */
const LONGEST_MS = 60_000;
/** Most of a schedule is waiting for processes to start. */
const CONCURRENCY = full ? 4 : 2;
const seeds = Array.from({ length: COUNT }, (_, i) => 1_000 * seed + i);

let ground: CrashGround & AsyncDisposable;
beforeAll(async () => {
  ground = await startProcessGround();
}, 120_000);
afterAll(() => ground[Symbol.asyncDispose]());

test(`processes of the manager that are killed with SIGKILL at their writes leave what one does that is not, after ${COUNT} upgrades, seed ${seed}`, {
  timeout: 7_200_000,
}, async () => {
  const { undisturbed, kills } = await expectSameStates(ground, runWithCrashes, seeds, CONCURRENCY);
  console.info(`${COUNT} schedules, ${kills} kills, ${undisturbed.writes} writes in an undisturbed run`);
  expect(kills).toBeGreaterThan(COUNT);
});

test(`... and after ${COUNT} upgrades that fail and are taken back; the old version serves all the time, and is back within ${LONGEST_MS / 1000} s, seed ${seed}`, {
  timeout: 7_200_000,
}, async () => {
  const { undisturbed, kills, takenBackAfterMs } = await expectSameStates(ground, rollBackWithCrashes, seeds, CONCURRENCY);
  const sorted = takenBackAfterMs.toSorted((a, b) => a - b);
  const [median, slowest] = [sorted[Math.floor(sorted.length / 2)]!, sorted.at(-1)!];
  console.info(
    `${COUNT} schedules, ${kills} kills, ${undisturbed.writes} writes in an undisturbed run; old version is back after ${Math.round(median)} ms (median), ${Math.round(slowest)} ms at most`,
  );
  expect(slowest).toBeLessThan(LONGEST_MS);
  expect(kills).toBeGreaterThan(COUNT);
});
