import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type Client, compareResourceVersions, connect } from "pintle/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ControlPlane, startControlPlane } from "../real/index.ts";
import { full } from "../sampling.ts";
import { createPublishedFolder } from "./published-package.ts";
import { Journal } from "./replica.ts";
import { createReplicaGroup, LEASE, PATIENT, RETRY, type ReplicaGroup, type ReplicaStart, waitUntil } from "./replica-group.ts";
import { install } from "./servers.ts";

/** Allowance for polling, and for a busy machine. */
const SLACK = 1_500;
const MINUTE = 60_000;
const LISTED = "Caches synced";
const KILLS = full ? 10 : 1;
const STOPS = full ? 200 : 3;
const GROUPS = full ? 4 : 1;
const SKEWED = full ? 20 : 2;

const resolveFile = (file: string) => fileURLToPath(new URL(file, import.meta.url));
let plane: ControlPlane;
let client: Client;
let folder: string;
const groups: ReplicaGroup[] = [];
beforeAll(async () => {
  folder = createPublishedFolder(resolveFile("./replica.ts"), resolveFile("./skewed-clock.ts"));
  plane = await startControlPlane();
  client = await connect({ kubeconfig: plane.kubeconfig, onWarning: () => {} });
  await install(client, Journal);
});
afterAll(async () => {
  for (const each of groups) each.end();
  await client?.close();
  await plane?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function elect(namespace: string, replicas: Readonly<Record<string, ReplicaStart>>): Promise<ReplicaGroup> {
  const group = await createReplicaGroup(client, plane.kubeconfig, folder, namespace);
  groups.push(group);
  for (const [identity, options] of Object.entries(replicas)) group.begin(identity, options);
  const first = await group.successor("");
  await waitUntil("the first entry", group.wrote(first.identity));
  return group;
}

/** Stops the leader with SIGSTOP until it is replaced, then resumes it: its pending writes must not happen. */
async function pauseAndResume(group: ReplicaGroup): Promise<void> {
  await group.forget();
  const leader = await group.holder();
  await waitUntil(`an entry of ${leader}`, group.wrote(leader));
  const child = group.replica(leader);
  child.kill("SIGSTOP");
  const { identity } = await group.successor(leader);
  await waitUntil(`an entry of ${identity}`, group.wrote(identity));
  const logLength = group.logOf(leader).length;
  child.kill("SIGCONT");
  await waitUntil("the old leader to notice", () => group.logOf(leader).slice(logLength).includes("Leader election lost"));
  await sleep(2 * RETRY);
  expect(await group.lateWrites()).toEqual([]);
}
/** Kills the leader with SIGKILL; resolves to the time until another replica leads. */
async function killAndReplace(group: ReplicaGroup, options: ReplicaStart = {}): Promise<number> {
  await group.forget();
  const leader = await group.holder();
  await waitUntil(`an entry of ${leader}`, group.wrote(leader));
  group.replica(leader).kill("SIGKILL");
  const { identity, took } = await group.successor(leader);
  await waitUntil(`an entry of ${identity}`, group.wrote(identity));
  expect(await group.lateWrites()).toEqual([]);
  group.begin(leader, options);
  return took;
}

/** How long the event loop is blocked: longer than the lease but shorter than the stall timeout; and longer than both. */
const BLOCKED = 7_000;
const STALLED = 18_000;

describe.concurrent("replicas of an operator, as processes", () => {
  test("RT-49 a reconcile that blocks the event loop keeps the lease, up to the stall timeout", { timeout: 240_000 }, async ({
    expect,
  }) => {
    const group = await elect("blocked", { p: { timings: PATIENT }, q: { timings: PATIENT } });
    const leader = await group.holder();
    const other = leader === "p" ? "q" : "p";
    await waitUntil("the other one to be up", () => group.logOf(other).includes(LISTED));
    const before = group.tenures.length;
    await group.tell("block", leader, BLOCKED);
    await sleep(BLOCKED + 1_000);
    await group.forget();
    await waitUntil("entries to go on", group.wrote(leader));
    expect(group.tenures.length).toBe(before);

    await group.tell("block", leader, STALLED);
    expect((await group.successor(leader)).identity).toBe(other);
    await group.forget();
    await waitUntil(`an entry of ${other}`, group.wrote(other));
    await waitUntil("the blocked one to turn again", () => group.logOf(leader).includes("Leader election lost"));
    await sleep(2 * RETRY);
    expect(await group.lateWrites()).toEqual([]);
    group.end();
  });

  test.for(Array.from({ length: GROUPS }, (_, i) => i))(
    "RT-23, RT-64 a leader stopped with SIGSTOP and resumed after its lease expired writes nothing (group %i)",
    { timeout: 240_000 + (STOPS / GROUPS) * 20_000 },
    async (at) => {
      const group = await elect(`stopped-${at}`, { [`d${at}`]: {}, [`e${at}`]: {}, [`f${at}`]: {} });
      for (let round = 0; round < STOPS / GROUPS; round++) await pauseAndResume(group);
      group.end();
    },
  );

  test("RT-23 leader election is unaffected by wall clocks that are minutes apart or jump", {
    timeout: 240_000 + SKEWED * 20_000,
  }, async ({ expect }) => {
    const skews = { early: { skew: -7 * MINUTE }, late: { skew: 11 * MINUTE }, jumping: { skew: "jumping" } } as const;
    const group = await elect("skewed", skews);
    // The leases really contain the skewed time.
    const { spec } = (await group.lease())!;
    const clockError = Math.abs(Date.parse(spec?.renewTime ?? "") - Date.now());
    if (spec?.holderIdentity !== "jumping") expect(clockError).toBeGreaterThan(5 * MINUTE);
    await sleep(2 * LEASE);
    const robbed = Object.keys(skews).filter((name) => group.logOf(name).includes("another process holds it"));
    expect(robbed, "no replica takes a lease that its holder renews").toEqual([]);
    for (let round = 0; round < SKEWED; round++) {
      if (round % 2 === 0) await pauseAndResume(group);
      else {
        const leader = (await group.holder()) as keyof typeof skews;
        expect(await killAndReplace(group, skews[leader])).toBeLessThan(LEASE + 2 * RETRY + SLACK);
      }
    }
    group.end();
  });

  test("RT-49 a worker thread renews the lease also when tsx runs the operator from source", { timeout: 240_000 }, async ({ expect }) => {
    const tsx = pathToFileURL(resolveFile("../../node_modules/tsx/dist/loader.mjs")).href;
    const group = await elect("sources", { t: { node: ["--import", tsx], script: join(folder, "replica.ts"), timings: PATIENT } });
    const before = group.tenures.length;
    await group.tell("block", "t", BLOCKED);
    await sleep(BLOCKED + 1_000);
    expect(group.logOf("t")).not.toContain("runs on the main thread");
    expect(group.tenures.length).toBe(before);
    group.end();
  });

  test.for([2, 3])(
    "RT-23 with %i replicas, a leader killed with SIGKILL is replaced within the lease duration and two retries, without late writes",
    {
      timeout: 240_000 + KILLS * 20_000,
    },
    async (count, { expect }) => {
      const names = ["a", "b", "c"].slice(0, count).map((name) => `${name}${count}`);
      const group = await elect(`killed-${count}`, Object.fromEntries(names.map((name) => [name, {}])));
      for (let kill = 0; kill < KILLS; kill++) {
        await waitUntil("all replicas to be ready", () => names.every((name) => group.logOf(name).includes(LISTED)));
        expect(await killAndReplace(group)).toBeLessThan(LEASE + 2 * RETRY + SLACK);
      }
      group.end();
    },
  );

  test("RT-23, RT-24 on SIGTERM the running reconcile finishes, and another replica leads within 3 s of its end, with default timings", {
    timeout: 240_000,
  }, async ({ expect }) => {
    const group = await elect("sigterm", { x: { timings: {} } });
    const first = group.replica("x");
    group.begin("y", { timings: {} });
    await waitUntil("the other one to be up", () => group.logOf("y").includes(LISTED));
    await group.tell("slow", "x", 2_500);
    await sleep(500);
    await group.forget();
    const ended = new Promise<number | null>((resolve) => first.once("exit", resolve));
    first.kill("SIGTERM");
    await waitUntil("the end of what it was doing", group.wrote("x"));
    const { identity, took } = await group.successor("x");
    expect(identity).toBe("y");
    expect(took).toBeLessThan(3_000);
    expect(await ended).toBe(0);
    // The lease is released after the last write, by the server's revisions.
    const last = (await group.entries()).findLast(({ by }) => by === "x")!;
    const released = group.tenures.findLast(({ by }) => by === "")!;
    expect(compareResourceVersions(last.version, released.version)).toBeLessThan(0);
    expect(await group.lateWrites()).toEqual([]);
    group.end();
  });

  test("RT-6, RT-24 an unhandled rejection does not end the process; a second signal ends it at once", {
    timeout: 240_000,
  }, async ({ expect }) => {
    const group = await elect("impatient", { z: {} });
    await group.tell("stray", "z", 1);
    await waitUntil("it to be logged", () => group.logOf("z").includes("Unhandled promise rejection"));
    await group.forget();
    await waitUntil("entries to go on", group.wrote("z"));
    await group.tell("hang", "z", 1);
    await sleep(1_000);
    const child = group.replica("z");
    const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    await sleep(1_000);
    expect(child.exitCode).toBe(null);
    child.kill("SIGTERM");
    expect(await ended).toBe(1);
    group.end();
  });
});
