import { startCluster } from "@pintle/cluster";
import { clientOver } from "pintle/client";
import type { Json } from "pintle/kinds";
import { ConfigMap } from "pintle/kinds/core/v1";
import { ask } from "./ask.ts";
import type { Cell, Round } from "./in-process.ts";
import { DEFINITIONS, definition, type SampleName, samples } from "./objects.ts";

/** Runs in a process of its own: a cluster, and whoever writes into it. */
const [ROUNDS = 1, OBJECTS = 1] = process.argv.slice(2).map(Number);
const WARM_UP = 2;
const cluster = await startCluster({ without: true });
const client = clientOver(cluster.transport);
const headers = { accept: "application/json", "content-type": "application/json" };
let number = 0;

async function cell(kind: SampleName, through: Cell["through"], concurrency: number): Promise<Cell> {
  const { path, object } = samples[kind];
  const write = through === "client" ? (body: object) => client.create(ConfigMap, body as never) : (body: object) => post(path, body);
  const rounds: Round[] = [];
  for (let each = -WARM_UP; each < ROUNDS; each++) {
    const bodies = Array.from({ length: OBJECTS }, () => numbered(object, String(number++)) as object);
    const measured = await round(bodies, concurrency, write);
    if (each >= 0) rounds.push(measured);
    await ask(cluster.transport, "DELETE", path);
  }
  return { kind, through, concurrency, rounds };
}

async function round(bodies: object[], concurrency: number, write: (body: object) => Promise<unknown>): Promise<Round> {
  const cpu = process.cpuUsage();
  const started = performance.now();
  const lane = async () => {
    for (let body = bodies.pop(); body !== undefined; body = bodies.pop()) await write(body);
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return { creates: OBJECTS / seconds, CPU: (user + system) / OBJECTS };
}

async function post(path: string, body: object): Promise<void> {
  const answer = await cluster.transport.request({ method: "POST", path, headers, body });
  if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${JSON.stringify(await answer.json())}`);
  await answer.json();
}

/** A fresh object every time, as whoever writes makes them. */
function numbered(value: Json, text: string): Json {
  if (typeof value === "string") return value.replaceAll("####", text);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => numbered(item, text));
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, numbered(part as Json, text)]));
}

await ask(cluster.transport, "POST", DEFINITIONS, definition);
while ((await ask(cluster.transport, "GET", samples["custom resource"].path)) !== 200);
const cells = [await cell("ConfigMap", "transport", 1), await cell("ConfigMap", "client", 1)];
for (const kind of Object.keys(samples) as SampleName[]) cells.push(await cell(kind, "transport", 32));
process.on("disconnect", () => process.exit());
process.send?.(cells);
