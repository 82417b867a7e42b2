/** Starts, uses and stops many clusters in this process, and prints what they leave behind, as lines of JSON. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type ClusterOptions, startCluster } from "@pintle/cluster";
import { Deployment } from "pintle/kinds/apps/v1";
import { Pod } from "pintle/kinds/core/v1";

const count = Number(process.argv[2]);
const every = Number(process.argv[3]);
const collect = (globalThis as { readonly gc?: () => void }).gc!;
const within = { timeout: 120_000 };
const labels = { app: "web" };

/** Alternates the kinds of clusters; process nodes are the most expensive. */
function optionsOf(i: number, folder: string): ClusterOptions {
  if (i % 20 === 7) return { nodes: { kind: "process", mode: "loopback" } };
  if (i % 5 === 1) return { http: true, plainHttp: true };
  return i % 5 === 3 ? { store: { file: path.join(folder, String(i)) } } : {};
}

async function runCluster(i: number, folder: string): Promise<void> {
  await using cluster = await startCluster(optionsOf(i, folder));
  const client = cluster.client();
  const container = { name: "web", image: "busybox", command: ["sh", "-c", "trap 'exit 0' TERM; while true; do sleep 0.1; done"] };
  await client.create(Deployment, {
    metadata: { name: "web", namespace: "default" },
    spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [container] } } },
  });
  await client.waitFor(Deployment, { name: "web", namespace: "default" }, ({ status }) => status.availableReplicas === 1, within);
  if (cluster.plainUrl !== "") await (await fetch(`${cluster.plainUrl}/version`, { headers: { connection: "close" } })).text();
  if (i % 10 === 4) await cluster.restart();
  if (i % 10 === 9) {
    await using fork = await cluster.fork();
    await fork.client().delete(Deployment, { name: "web", namespace: "default" });
    await fork.settled();
  }
  if ((await client.list(Pod, { namespace: "default" })).items.length !== 1) throw new Error("the pod was deleted");
}

const handles = () => process.getActiveResourcesInfo().filter((each) => each !== "Immediate" && each !== "Timeout").length;
const processes = () => readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, "utf8").split(" ").filter(Boolean).length;

const timers = () => process.getActiveResourcesInfo().filter((each) => each === "Timeout").length;
const own = handles();

async function measureLeftovers() {
  // A closed connection takes a moment to be released.
  for (let i = 0; i < 100 && handles() - own + processes() + timers() > 0; i++) await pause(100);
  for (let i = 0; i < 5; i++) {
    await pause(1);
    collect();
  }
  return {
    heap: process.memoryUsage().heapUsed,
    handles: handles() - own,
    files: readdirSync("/proc/self/fd").length,
    processes: processes(),
    timers: timers(),
  };
}

const folder = mkdtempSync(path.join(tmpdir(), "pintle-many-clusters-"));
try {
  for (let i = 0; i <= count; i++) {
    if (i % every === 0) console.log(JSON.stringify(await measureLeftovers()));
    if (i < count) await runCluster(i, folder);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
