/**
 * How fast the embedded cluster's controllers settle a crowd of Deployments on simulated nodes, and what they cost at rest.
 * One process does everything: clients, API server, controllers, scheduler, nodes.
 */
import { setTimeout as wait } from "node:timers/promises";
import { startCluster } from "@pintle/cluster";
import { type Client, clientOver } from "pintle/client";
import { Deployment } from "pintle/kinds/apps/v1";
import { Event, Pod } from "pintle/kinds/core/v1";
import { type Options, type Outcome, sized } from "../frame/outcome.ts";
import { tables } from "./tables.ts";

const DEPLOYMENTS = { quick: 20, usual: 1_000, full: 5_000 };
const REPLICAS = 3;
const AT_ONCE = 16;
const RESTS = { quick: 1_000, usual: 10_000, full: 60_000 };
const namespace = "default";

export async function run(options: Options = { quick: false, full: false }): Promise<Outcome> {
  const deployments = Number(process.env["DEPLOYMENTS"] ?? sized(options, DEPLOYMENTS));
  const atRest = sized(options, RESTS);
  const began = performance.now();
  const cluster = await startCluster({ nodes: 3 });
  const answers = performance.now() - began;
  await cluster.ready;
  const ready = performance.now() - began;
  const client = clientOver(cluster.transport);

  const meter = measured();
  await create(client, deployments);
  const created = meter().seconds;
  await settled(client, deployments);
  const settling = meter();
  await quiet(client);
  const written = meter();
  const pods = (await client.list(Pod, { namespace })).items.length;
  globalThis.gc?.();
  const rest = measured();
  await wait(atRest);
  const { cpuSeconds } = rest();
  const memory = process.memoryUsage();
  await cluster.stop();

  const result = {
    start: { answersMs: round(answers), readyMs: round(ready) },
    deployments,
    pods,
    createdSeconds: round(created),
    settledSeconds: round(settling.seconds),
    settledCpuSeconds: round(settling.cpuSeconds),
    eventsWrittenSeconds: round(written.seconds),
    rest: {
      cpuPercent: round((100 * cpuSeconds) / (atRest / 1000)),
      rssMegabytes: round(memory.rss / 1e6),
      heapMegabytes: round(memory.heapUsed / 1e6),
    },
  };
  return { tables: tables(result) };
}

async function create(client: Client, deployments: number): Promise<void> {
  let next = 0;
  const work = async () => {
    for (let i = next++; i < deployments; i = next++) {
      const labels = { app: `web-${i}` };
      const template = { metadata: { labels }, spec: { containers: [{ name: "web", image: "web:1" }] } };
      await client.create(Deployment, {
        metadata: { name: `web-${i}`, namespace },
        spec: { replicas: REPLICAS, selector: { matchLabels: labels }, template },
      });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

/** Every rollout is done, and says so. */
async function settled(client: Client, deployments: number): Promise<void> {
  const open = new Set(Array.from({ length: deployments }, (_, i) => `web-${i}`));
  const isDone = ({ status }: Deployment) => status.conditions?.some(({ reason }) => reason === "NewReplicaSetAvailable") === true;
  for await (const { type, object } of client.watch(Deployment, { namespace })) {
    if (type !== "BOOKMARK" && isDone(object)) open.delete(object.metadata.name);
    if (open.size === 0) return;
  }
}

/** No more events are written. */
async function quiet(client: Client): Promise<void> {
  const version = async () => (await client.list(Event, { namespace, limit: 1 })).metadata.resourceVersion;
  for (let before = "", now = await version(); before !== now; now = await version()) {
    before = now;
    await wait(500);
  }
}

function measured() {
  const from = performance.now();
  const cpu = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(cpu);
    return { seconds: (performance.now() - from) / 1000, cpuSeconds: (user + system) / 1e6 };
  };
}

const round = (n: number) => Math.round(n * 100) / 100;
