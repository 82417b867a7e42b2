import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type Client, compareResourceVersions, connect } from "pintle/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ControlPlane, startControlPlane } from "../real/index.ts";
import { full } from "../sampling.ts";
import { type Electorate, electorate, LEASE, PATIENT, RETRY, type ReplicaStart, until } from "./electorate.ts";
import { published } from "./published.ts";
import { Journal } from "./replica.ts";
import { install } from "./servers.ts";

/** For polling, and for a machine with other things to do. */
const SLACK = 1_500;
const MINUTE = 60_000;
const LISTED = "everything has been listed";
const KILLS = full ? 10 : 1;
const STOPS = full ? 200 : 3;
const GROUPS = full ? 4 : 1;
const SKEWED = full ? 20 : 2;

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));
let plane: ControlPlane;
let client: Client;
let folder: string;
const begun: Electorate[] = [];
beforeAll(async () => {
  folder = published(here("./replica.ts"), here("./skewed.ts"));
  plane = await startControlPlane();
  client = await connect({ kubeconfig: plane.kubeconfig, onWarning: () => {} });
  await install(client, Journal);
});
afterAll(async () => {
  for (const each of begun) each.end();
  await client?.close();
  await plane?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function elect(namespace: string, replicas: Readonly<Record<string, ReplicaStart>>): Promise<Electorate> {
  const made = await electorate(client, plane.kubeconfig, folder, namespace);
  begun.push(made);
  for (const [identity, options] of Object.entries(replicas)) made.begin(identity, options);
  const first = await made.successor("");
  await until("the first entry", made.wrote(first.identity));
  return made;
}

/** The leader is stopped like a laptop that is shut, replaced, and woken: what it was about to do must not be done. */
async function stopAndWake(group: Electorate): Promise<void> {
  await group.forget();
  const leader = await group.holder();
  await until(`an entry of ${leader}`, group.wrote(leader));
  const child = group.replica(leader);
  child.kill("SIGSTOP");
  const { identity } = await group.successor(leader);
  await until(`an entry of ${identity}`, group.wrote(identity));
  const heard = group.said(leader).length;
  child.kill("SIGCONT");
  await until("the old leader to notice", () => group.said(leader).slice(heard).includes("no longer leading"));
  await sleep(2 * RETRY);
  expect(await group.lateWrites()).toEqual([]);
}
/** The leader is gone without a word. */
async function killAndReplace(group: Electorate, options: ReplicaStart = {}): Promise<number> {
  await group.forget();
  const leader = await group.holder();
  await until(`an entry of ${leader}`, group.wrote(leader));
  group.replica(leader).kill("SIGKILL");
  const { identity, took } = await group.successor(leader);
  await until(`an entry of ${identity}`, group.wrote(identity));
  expect(await group.lateWrites()).toEqual([]);
  group.begin(leader, options);
  return took;
}

/** How long its event loop stands still: longer than the lease, shorter than the stall that is allowed; and longer than that. */
const BLOCKED = 7_000;
const STALLED = 18_000;

describe.concurrent("replicas of an operator, as processes", () => {
  test("Node 1 a reconcile that blocks the event loop keeps the lease, but not for ever", { timeout: 240_000 }, async ({ expect }) => {
    const group = await elect("blocked", { p: { timings: PATIENT }, q: { timings: PATIENT } });
    const leader = await group.holder();
    const other = leader === "p" ? "q" : "p";
    await until("the other one to be up", () => group.said(other).includes(LISTED));
    const before = group.tenures.length;
    await group.tell("block", leader, BLOCKED);
    await sleep(BLOCKED + 1_000);
    await group.forget();
    await until("entries to go on", group.wrote(leader));
    expect(group.tenures.length).toBe(before);

    await group.tell("block", leader, STALLED);
    expect((await group.successor(leader)).identity).toBe(other);
    await group.forget();
    await until(`an entry of ${other}`, group.wrote(other));
    await until("the blocked one to turn again", () => group.said(leader).includes("no longer leading"));
    await sleep(2 * RETRY);
    expect(await group.lateWrites()).toEqual([]);
    group.end();
  });

  test.for(Array.from({ length: GROUPS }, (_, i) => i))(
    "c-r 7.23, idea 11 a leader that is stopped with SIGSTOP and woken writes nothing more (group %i)",
    { timeout: 240_000 + (STOPS / GROUPS) * 20_000 },
    async (at) => {
      const group = await elect(`stopped-${at}`, { [`d${at}`]: {}, [`e${at}`]: {}, [`f${at}`]: {} });
      for (let round = 0; round < STOPS / GROUPS; round++) await stopAndWake(group);
      group.end();
    },
  );

  test("c-r 7.23 wall clocks that are minutes apart, and one that jumps, change nothing", {
    timeout: 240_000 + SKEWED * 20_000,
  }, async ({ expect }) => {
    const skews = { early: { skew: -7 * MINUTE }, late: { skew: 11 * MINUTE }, jumping: { skew: "jumping" } } as const;
    const group = await elect("skewed", skews);
    // The wrong time is really what they write.
    const { spec } = (await group.lease())!;
    const wrong = Math.abs(Date.parse(spec?.renewTime ?? "") - Date.now());
    if (spec?.holderIdentity !== "jumping") expect(wrong).toBeGreaterThan(5 * MINUTE);
    await sleep(2 * LEASE);
    const robbed = Object.keys(skews).filter((name) => group.said(name).includes("somebody else has taken it"));
    expect(robbed, "nobody takes the lease from somebody who renews it").toEqual([]);
    for (let round = 0; round < SKEWED; round++) {
      if (round % 2 === 0) await stopAndWake(group);
      else {
        const leader = (await group.holder()) as keyof typeof skews;
        expect(await killAndReplace(group, skews[leader])).toBeLessThan(LEASE + 2 * RETRY + SLACK);
      }
    }
    group.end();
  });

  test("Node 1 the thread that renews the lease also runs where the operator's sources are run by tsx", { timeout: 240_000 }, async ({
    expect,
  }) => {
    const tsx = pathToFileURL(here("../../node_modules/tsx/dist/loader.mjs")).href;
    const group = await elect("sources", { t: { node: ["--import", tsx], script: join(folder, "replica.ts"), timings: PATIENT } });
    const before = group.tenures.length;
    await group.tell("block", "t", BLOCKED);
    await sleep(BLOCKED + 1_000);
    expect(group.said("t")).not.toContain("renewed by the main thread");
    expect(group.tenures.length).toBe(before);
    group.end();
  });

  test.for([2, 3])(
    "c-r 7.23 of %i replicas the leader is killed with kill -9: replaced within the lease and two retries, no write too many",
    {
      timeout: 240_000 + KILLS * 20_000,
    },
    async (count, { expect }) => {
      const names = ["a", "b", "c"].slice(0, count).map((name) => `${name}${count}`);
      const group = await elect(`killed-${count}`, Object.fromEntries(names.map((name) => [name, {}])));
      for (let kill = 0; kill < KILLS; kill++) {
        await until("everybody to be up", () => names.every((name) => group.said(name).includes(LISTED)));
        expect(await killAndReplace(group)).toBeLessThan(LEASE + 2 * RETRY + SLACK);
      }
      group.end();
    },
  );

  test("c-r 7.23, 7.24 on SIGTERM the last reconcile is finished first, and within 3 s of its end another leads, with the default timings", {
    timeout: 240_000,
  }, async ({ expect }) => {
    const group = await elect("asked", { x: { timings: {} } });
    const first = group.replica("x");
    group.begin("y", { timings: {} });
    await until("the other one to be up", () => group.said("y").includes(LISTED));
    await group.tell("slow", "x", 2_500);
    await sleep(500);
    await group.forget();
    const ended = new Promise<number | null>((resolve) => first.once("exit", resolve));
    first.kill("SIGTERM");
    await until("the end of what it was doing", group.wrote("x"));
    const { identity, took } = await group.successor("x");
    expect(identity).toBe("y");
    expect(took).toBeLessThan(3_000);
    expect(await ended).toBe(0);
    // Handed over after the last write, by the server's own count.
    const last = (await group.entries()).findLast(({ by }) => by === "x")!;
    const released = group.tenures.findLast(({ by }) => by === "")!;
    expect(compareResourceVersions(last.version, released.version)).toBeLessThan(0);
    expect(await group.lateWrites()).toEqual([]);
    group.end();
  });

  test("c-r 7.6, 7.24 a promise that somebody forgot does not end the process; a second signal does, at once", {
    timeout: 240_000,
  }, async ({ expect }) => {
    const group = await elect("impatient", { z: {} });
    await group.tell("stray", "z", 1);
    await until("it to be logged", () => group.said("z").includes("rejected that nobody waited for"));
    await group.forget();
    await until("entries to go on", group.wrote("z"));
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
