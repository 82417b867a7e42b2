import { startCluster } from "@pintle/cluster";
import { type SampleName, samples } from "./objects.ts";

/** Runs in a process of its own: what objects hold of the heap once they are stored and nothing else is left of them. */
const [kind, count] = process.argv.slice(2) as [SampleName, string];
const { path, object } = samples[kind];
const text = JSON.stringify(object);
const cluster = await startCluster({ without: true });
const headers = { accept: "application/json", "content-type": "application/json" };

async function create(number: string): Promise<unknown> {
  const body: unknown = JSON.parse(text.replaceAll("####", number));
  const answer = await cluster.transport.request({ method: "POST", path, headers, body });
  return answer.json();
}

function liveKb(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 1024;
}

const json = JSON.stringify(await create("first")).length / 1024;
const before = liveKb();
for (let number = 0; number < Number(count); number++) await create(String(number));
const live = (liveKb() - before) / Number(count);
process.on("disconnect", () => process.exit());
process.send?.({ json, live });
