import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type Client, compareResourceVersions, connect } from "pintle/client";
import { Lease } from "pintle/kinds/coordination/v1";
import { ConfigMap } from "pintle/kinds/core/v1";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type ControlPlane, startControlPlane } from "../real/index.ts";
import { Journal } from "./replica.ts";
import { install } from "./servers.ts";

const LEASE = 3_000;
const RETRY = 500;
const ROUNDS = Number(process.env["ROUNDS"] ?? 8);

let plane: ControlPlane;
let client: Client;
const replicas = new Map<string, ChildProcess>();
beforeAll(async () => {
  plane = await startControlPlane();
  client = await connect({ kubeconfig: plane.kubeconfig, onWarning: () => {} });
  await install(client, Journal);
  await client.create(Journal, { metadata: { name: "journal", namespace: "default" }, spec: {} });
});
afterEach(async () => {
  for (const child of replicas.values()) child.kill("SIGKILL");
  replicas.clear();
});
afterAll(async () => {
  await client?.close();
  await plane?.stop();
});

function begin(identity: string): ChildProcess {
  const script = fileURLToPath(new URL("./replica.ts", import.meta.url));
  const child = spawn(process.execPath, ["--conditions=@pintle/source", "--import", "tsx", script, identity, plane.kubeconfig], {
    stdio: ["ignore", "pipe", "inherit"],
  });
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
/** Who wrote, in the order of the server's own revisions; repetitions left out. */
async function turns(): Promise<string[]> {
  const entries = (await client.list(ConfigMap, { namespace: "default", labels: { journal: "yes" } })).items
    .map(({ metadata, data }) => ({ version: metadata.resourceVersion, by: data?.["by"] ?? "" }))
    .sort((a, b) => compareResourceVersions(a.version, b.version));
  return entries.map(({ by }) => by).filter((by, i, all) => by !== all[i - 1]);
}
const forget = () => client.deleteCollection(ConfigMap, { namespace: "default", labels: { journal: "yes" } });
const wrote = (identity: string) => async () => (await turns()).includes(identity);

test("c-r 7.23, idea 11 a leader that is killed is replaced within lease and two retries; one that is stopped and woken writes nothing more", async () => {
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
    expect(await turns(), `round ${round}`).toEqual([leader, next]);
  }
}, 300_000);

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
