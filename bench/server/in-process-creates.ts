import { startCluster } from "@pintle/cluster";
import { createClient } from "pintle/client";
import type { Json } from "pintle/kinds";
import { ConfigMap } from "pintle/kinds/core/v1";
import type { InProcessCase, InProcessRound } from "./in-process.ts";
import { CRD_PATH, type SampleName, sampleCrd, sampleObjects } from "./sample-objects.ts";
import { sendRequest } from "./send-request.ts";

/** Runs in a child process: a cluster and the client that writes to it. */
const [ROUNDS = 1, OBJECTS = 1] = process.argv.slice(2).map(Number);
const WARM_UP_ROUNDS = 2;
const cluster = await startCluster({ without: true });
const client = createClient(cluster.transport);
const headers = { accept: "application/json", "content-type": "application/json" };
let nextNumber = 0;

async function measureCase(kind: SampleName, through: InProcessCase["through"], concurrency: number): Promise<InProcessCase> {
  const { path, object } = sampleObjects[kind];
  const write = through === "client" ? (body: object) => client.create(ConfigMap, body as never) : (body: object) => postObject(path, body);
  const rounds: InProcessRound[] = [];
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
    const bodies = Array.from({ length: OBJECTS }, () => substituteNumber(object, String(nextNumber++)) as object);
    const measured = await measureRound(bodies, concurrency, write);
    if (round >= 0) rounds.push(measured);
    await sendRequest(cluster.transport, "DELETE", path);
  }
  return { kind, through, concurrency, rounds };
}

async function measureRound(bodies: object[], concurrency: number, write: (body: object) => Promise<unknown>): Promise<InProcessRound> {
  const cpu = process.cpuUsage();
  const started = performance.now();
  const worker = async () => {
    for (let body = bodies.pop(); body !== undefined; body = bodies.pop()) await write(body);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return { creates: OBJECTS / seconds, CPU: (user + system) / OBJECTS };
}

async function postObject(path: string, body: object): Promise<void> {
  const response = await cluster.transport.request({ method: "POST", path, headers, body });
  if (response.status !== 201) throw new Error(`${path}: ${response.status} ${JSON.stringify(await response.json())}`);
  await response.json();
}

/** Returns a new object each time, as a caller would pass. */
function substituteNumber(value: Json, text: string): Json {
  if (typeof value === "string") return value.replaceAll("####", text);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => substituteNumber(item, text));
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, substituteNumber(part as Json, text)]));
}

await sendRequest(cluster.transport, "POST", CRD_PATH, sampleCrd);
while ((await sendRequest(cluster.transport, "GET", sampleObjects["custom resource"].path)) !== 200);
const cases = [await measureCase("ConfigMap", "transport", 1), await measureCase("ConfigMap", "client", 1)];
for (const kind of Object.keys(sampleObjects) as SampleName[]) cases.push(await measureCase(kind, "transport", 32));
process.on("disconnect", () => process.exit());
process.send?.(cases);
