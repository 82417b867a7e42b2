import { type ChildProcess, spawn } from "node:child_process";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type Client, compareResourceVersions, connect } from "pintle/client";
import { Lease } from "pintle/kinds/coordination/v1";
import { ConfigMap } from "pintle/kinds/core/v1";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type ControlPlane, startControlPlane } from "../real/index.ts";
import { published } from "./published.ts";
import { Journal } from "./replica.ts";
import { install } from "./servers.ts";

const LEASE = 3_000;
const RETRY = 500;
const ROUNDS = Number(process.env["ROUNDS"] ?? 8);

let plane: ControlPlane;
let client: Client;
let folder: string;
const watching = new AbortController();
const replicas = new Map<string, ChildProcess>();
beforeAll(async () => {
  folder = published(fileURLToPath(new URL("./replica.ts", import.meta.url)));
  plane = await startControlPlane();
  client = await connect({ kubeconfig: plane.kubeconfig, onWarning: () => {} });
  await install(client, Journal);
  void recordTenures(watching.signal).catch((error) => {
    if (!watching.signal.aborted) throw error;
  });
  await client.create(Journal, { metadata: { name: "journal", namespace: "default" }, spec: {} });
});
afterEach(async () => {
  for (const child of replicas.values()) child.kill("SIGKILL");
  replicas.clear();
});
afterAll(async () => {
  watching.abort();
  await client?.close();
  await plane?.stop();
  await rm(folder, { recursive: true, force: true });
});

function begin(identity: string): ChildProcess {
  const child = spawn(process.execPath, [join(folder, "replica.js"), identity, plane.kubeconfig], { stdio: ["ignore", "pipe", "inherit"] });
  child.stdout!.on("data", () => talked.add(child));
  replicas.set(identity, child);
  return child;
}
/** True once it has said anything, which it does when everything has been listed. */
const talked = new Set<ChildProcess>();
const said = async (child: ChildProcess) => talked.has(child);
const holder = async () => (await client.find(Lease, { name: "journal", namespace: "default" }))?.spec?.holderIdentity ?? "";
async function until(what: string, isSo: () => Promise<boolean>, timeout = 30_000): Promise<number> {
  const started = performance.now();
  while (!(await isSo())) {
    if (performance.now() - started > timeout) throw new Error(`waited in vain for ${what}`);
    await sleep(20);
  }
  return performance.now() - started;
}
interface Entry {
  readonly version: string;
  readonly by: string;
}
/** The journal, in the order of the server's own revisions. */
async function entries(): Promise<Entry[]> {
  const { items } = await client.list(ConfigMap, { namespace: "default", labels: { journal: "yes" } });
  return items
    .map(({ metadata, data }) => ({ version: metadata.resourceVersion, by: data?.["by"] ?? "" }))
    .sort((a, b) => compareResourceVersions(a.version, b.version));
}
/** Who held the lease from which revision on. */
const tenures: Entry[] = [];
async function recordTenures(signal: AbortSignal): Promise<void> {
  const from = { sendInitialEvents: true, resourceVersionMatch: "NotOlderThan" } as const;
  for await (const event of client.watch(Lease, { namespace: "default", ...from, signal })) {
    if (event.type === "BOOKMARK" || event.object.metadata.name !== "journal") continue;
    const by = event.object.spec?.holderIdentity ?? "";
    if (tenures.at(-1)?.by !== by) tenures.push({ version: event.object.metadata.resourceVersion, by });
  }
}
/** Writes by somebody whose successor had written already. On a slow machine the lease may change hands without our doing. */
async function lateWrites(): Promise<string[]> {
  const journal = await entries();
  return journal.flatMap(({ version, by }, i) => {
    const tenure = tenures.findLast((each) => compareResourceVersions(each.version, version) < 0);
    if (tenure === undefined || tenure.by === by) return [];
    const began = journal.slice(0, i).some((other) => other.by === tenure.by && compareResourceVersions(other.version, tenure.version) > 0);
    return began ? [`${by} wrote at ${version}, in the time of ${tenure.by} since ${tenure.version}`] : [];
  });
}
const forget = () => client.deleteCollection(ConfigMap, { namespace: "default", labels: { journal: "yes" } });
const wrote = (identity: string) => async () => (await entries()).some(({ by }) => by === identity);

test(
  "c-r 7.23, idea 11 a leader that is killed is replaced within lease and two retries; one that is stopped and woken writes nothing more",
  async () => {
    for (const identity of ["a", "b", "c"]) begin(identity);
    await until("a leader", async () => (await holder()) !== "");
    const first = await holder();
    await until("its first entry", wrote(first));
    replicas.get(first)!.kill("SIGKILL");
    const took = await until("another leader", async () => !["", first].includes(await holder()));
    expect(took).toBeLessThan(LEASE + 2 * RETRY * 1.2 + 1_500);
    replicas.delete(first);
    begin(first);

    for (let round = 0; round < ROUNDS; round++) {
      await forget();
      const leader = await holder();
      await until(`an entry of ${leader}`, wrote(leader));
      const child = replicas.get(leader)!;
      child.kill("SIGSTOP");
      await until("another leader", async () => !["", leader].includes(await holder()));
      const next = await holder();
      await until(`an entry of ${next}`, wrote(next));
      child.kill("SIGCONT");
      await sleep(1_500);
      expect(await lateWrites(), `round ${round}`).toEqual([]);
    }
  },
  60_000 + ROUNDS * 20_000,
);

test("c-r 7.24 a leader that is asked to stop hands over within 3 s and ends with 0; without a lease it waits", async () => {
  const first = begin("x");
  await until("an entry", wrote("x"));
  const second = begin("y");
  await until("the other one to be up", () => said(second));
  const ended = new Promise<number | null>((resolve) => first.once("exit", (code) => resolve(code)));
  first.kill("SIGTERM");
  const took = await until("the other leader", async () => (await holder()) === "y");
  expect(took).toBeLessThan(3_000);
  expect(await ended).toBe(0);
});

test("Node 1 a reconcile that blocks the event loop keeps the lease, but not for ever", async () => {
  for (const identity of ["p", "q"]) begin(identity);
  await until("a leader", async () => ["p", "q"].includes(await holder()));
  const leader = await holder();
  const other = leader === "p" ? "q" : "p";
  await until("its first entry", wrote(leader));
  await until("the other one to be up", () => said(replicas.get(other)!));
  const block = (ms: number) =>
    client.patch(
      Journal,
      { name: "journal", namespace: "default" },
      { merge: { metadata: { annotations: { [`block-${leader}`]: String(ms) } } } },
    );

  // Longer than the lease, shorter than the stall that is allowed.
  await block(LEASE + 1_500);
  await sleep(LEASE + 3_000);
  await forget();
  await until("entries to go on", wrote(leader));
  expect(await holder()).toBe(leader);
  expect(tenures.at(-1)?.by).toBe(leader);

  await block(14_000);
  await until("the other one to lead", async () => (await holder()) === other, 25_000);
  await forget();
  await until(`an entry of ${other}`, wrote(other));
  await sleep(6_000);
  expect(await lateWrites()).toEqual([]);
}, 120_000);

test("c-r 7.24 a second signal ends the process at once", async () => {
  const child = begin("z");
  await until("an entry", wrote("z"));
  await client.patch(Journal, { name: "journal", namespace: "default" }, { merge: { metadata: { annotations: { "hang-z": "yes" } } } });
  await sleep(1_000);
  const ended = new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)));
  child.kill("SIGTERM");
  await sleep(1_000);
  expect(child.exitCode).toBe(null);
  const started = performance.now();
  child.kill("SIGTERM");
  expect(await ended).toBe(1);
  expect(performance.now() - started).toBeLessThan(1_000);
});
