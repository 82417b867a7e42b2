import { startCluster } from "@pintle/cluster";
import { type SampleName, sampleObjects } from "./sample-objects.ts";

/** Runs in a child process: measures the live heap per stored object. */
const [kind, count] = process.argv.slice(2) as [SampleName, string];
const { path, object } = sampleObjects[kind];
const text = JSON.stringify(object);
const cluster = await startCluster({ without: true });
const headers = { accept: "application/json", "content-type": "application/json" };

async function create(number: string): Promise<unknown> {
  const body: unknown = JSON.parse(text.replaceAll("####", number));
  const response = await cluster.transport.request({ method: "POST", path, headers, body });
  return response.json();
}

function measureLiveKb(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 1024;
}

const json = JSON.stringify(await create("first")).length / 1024;
const before = measureLiveKb();
for (let number = 0; number < Number(count); number++) await create(String(number));
const live = (measureLiveKb() - before) / Number(count);
process.on("disconnect", () => process.exit());
process.send?.({ json, live });
