/** Concurrent clients while the server is killed, the disk is full or slow, and etcd loses its leader: every history is linearizable. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Cluster, startCluster } from "@pintle/cluster";
import { type Random, seededRandom } from "pintle/internal/clock";
import { expect, test } from "vitest";
import { openFileStore } from "../../packages/cluster/src/store/index.ts";
import { createHttpsRequester } from "../../packages/cluster/test/store/https-requester.ts";
import { type SimulatedDisk, simulatedDisk } from "../../packages/cluster/test/store/simulated-disk.ts";
import { binary } from "../real/index.ts";
import { freePorts } from "../real/programs/ports.ts";
import { startSupervisor } from "../real/programs/supervisor.ts";
import { full, seed } from "../sampling.ts";
import { startClusterProcess } from "../store/cluster-process.ts";
import { createWorkload, type Send, type Workload } from "./workload.ts";

const CLIENTS = 5;
const OBJECTS = 24;
/** How often a fault happens. */
const rounds = full ? 20 : 2;
const timeout = full ? 1_800_000 : 180_000;

/** Causes faults; `progress` resolves when so many further operations have a known outcome. */
type Disturbance = (random: Random, progress: (operations: number) => Promise<void>) => Promise<void>;

/** Runs clients while `disturb` runs, then checks all histories. */
async function check(name: string, sends: readonly (() => Send)[], disturb: Disturbance): Promise<void> {
  const workload: Workload = createWorkload(OBJECTS * rounds, () => performance.now());
  const over = new AbortController();
  const clients = Array.from({ length: CLIENTS }, (_, i) =>
    workload.run(sends[i % sends.length] as () => Send, seededRandom(seed * 100 + i), over.signal),
  );
  const running = Promise.all(clients);
  const progress = async (operations: number) => {
    const until = workload.count().known + operations;
    while (workload.count().known < until) await delay(10);
  };
  await Promise.race([disturb(seededRandom(seed), progress), running]);
  over.abort();
  await running;
  const { known, unknown } = workload.count();
  console.log(`${name}: ${known} operations with a known outcome, ${unknown} without, seed ${seed}`);
  expect(known).toBeGreaterThan(50);
  expect(workload.findViolations()).toEqual([]);
}

const sendInProcess =
  (cluster: Cluster): Send =>
  async (method, at, body) => {
    // Other clients must get their turn.
    await delay(0);
    const response = await cluster.transport.request({ method: method as "GET", path: at, body });
    return { status: response.status, body: await response.json() };
  };

test("kill -9 of the server", { timeout }, async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "pintle-linearizability-"));
  const flags = ["--data", path.join(folder, "data")];
  let server = await startClusterProcess(folder, flags);
  /** Clients wait while there is no server; what was sent when it was killed has no known outcome. */
  let running = Promise.resolve(createHttpsRequester(server.kubeconfig));
  const send: Send = async (...request) => (await running)(...request);
  try {
    await check("kill -9", [() => send], async (random, progress) => {
      for (let round = 0; round < rounds; round++) {
        await progress(40 + Math.floor(random() * 60));
        await server.kill();
        running = startClusterProcess(folder, flags).then((started) => {
          server = started;
          return createHttpsRequester(started.kubeconfig);
        });
        await running;
      }
      await progress(40);
    });
  } finally {
    await server.kill();
    await rm(folder, { recursive: true, force: true });
  }
});

const noSpace = () => Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });

test.each([
  ["a disk that is full at times", false, fillDisk],
  ["a disk that is full at times, with fsync", true, fillDisk],
  ["a slow disk, with fsync", true, slowDisk],
] as const)("%s", { timeout }, async (name, fsync, prepare) => {
  const disk = simulatedDisk();
  const store = await openFileStore({ folder: "/data", disk: prepare(disk), fsync, compactAt: 100_000 });
  const cluster = await startCluster({ without: true, store });
  const faulty = seededRandom(seed);
  let isFaulty = false;
  disk.before = (call, bytes) => {
    if (!isFaulty || prepare !== fillDisk || faulty() < 0.7 || call.startsWith("remove")) return undefined;
    if (bytes !== undefined) return { through: Math.floor(faulty() * bytes.length), error: noSpace() };
    throw noSpace();
  };
  try {
    await check(name, [() => sendInProcess(cluster)], async (_random, progress) => {
      for (let round = 0; round < rounds; round++) {
        isFaulty = true;
        await progress(100);
        isFaulty = false;
        await progress(20);
      }
    });
  } finally {
    isFaulty = false;
    await cluster.stop();
    await store.close();
  }
});

function fillDisk(disk: SimulatedDisk) {
  return disk;
}

/** Every sync takes up to 20 ms. */
function slowDisk(disk: SimulatedDisk) {
  const random = seededRandom(seed);
  const slow = <T extends { sync(): Promise<void> }>(file: T): T => {
    const sync = file.sync.bind(file);
    return Object.assign(file, {
      async sync() {
        await delay(random() * 20);
        await sync();
      },
    });
  };
  return { ...disk, open: (file: string) => slow(disk.open(file)), create: (file: string) => slow(disk.create(file)) };
}

test("etcd loses its leader, under two servers", { timeout }, async () => {
  const etcd = await startEtcdCluster();
  const clusters: Cluster[] = [];
  try {
    for (let i = 0; i < 2; i++) clusters.push(await startCluster({ without: true, store: { etcd: { endpoints: etcd.endpoints } } }));
    const sends = clusters.map((cluster) => () => sendInProcess(cluster));
    await check("loss of etcd's leader", sends, async (_random, progress) => {
      for (let round = 0; round < rounds; round++) {
        await progress(100);
        const leader = etcd.findLeader();
        await etcd.kill(leader);
        await progress(100);
        etcd.start(leader);
        await progress(100);
      }
    });
  } finally {
    for (const cluster of clusters) await cluster.stop();
    await etcd.stop();
  }
});

/** Starts three members of etcd on loopback. */
async function startEtcdCluster() {
  const folder = mkdtempSync(path.join(tmpdir(), "pintle-etcd-"));
  const ports = await freePorts(6);
  const programs = startSupervisor(folder);
  const members = [0, 1, 2].map((i) => ({
    name: `m${i}`,
    client: `http://127.0.0.1:${ports[i]}`,
    peer: `http://127.0.0.1:${ports[i + 3]}`,
  }));
  const start = (name: string) => {
    const member = members.find((each) => each.name === name)!;
    programs.start({
      name,
      command: binary("etcd"),
      args: [
        `--name=${name}`,
        `--data-dir=${path.join(folder, name)}`,
        `--listen-client-urls=${member.client}`,
        `--advertise-client-urls=${member.client}`,
        `--listen-peer-urls=${member.peer}`,
        `--initial-advertise-peer-urls=${member.peer}`,
        `--initial-cluster=${members.map((each) => `${each.name}=${each.peer}`).join(",")}`,
        "--unsafe-no-fsync",
      ],
    });
  };
  const endpoints = members.map(({ client }) => client);
  const etcdctl = (...words: readonly string[]) =>
    execFileSync(binary("etcdctl"), ["--endpoints", endpoints.join(","), ...words], { encoding: "utf8", stdio: "pipe" });
  const isHealthy = () => {
    try {
      etcdctl("endpoint", "health");
      return true;
    } catch {
      return false;
    }
  };
  for (const { name } of members) start(name);
  while (!isHealthy()) await delay(100);
  return {
    endpoints,
    start,
    kill: (name: string) => programs.kill(name),
    findLeader(): string {
      const statuses = JSON.parse(etcdctl("endpoint", "status", "-w", "json")) as readonly {
        readonly Endpoint: string;
        readonly Status: { readonly header: { readonly member_id: number }; readonly leader: number };
      }[];
      const leader = statuses.find(({ Status }) => Status.header.member_id === Status.leader);
      return members.find(({ client }) => client === leader?.Endpoint)?.name ?? "m0";
    },
    async stop() {
      await programs.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
