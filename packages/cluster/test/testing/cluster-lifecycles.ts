import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { ConfigMap } from "pintle/kinds/core/v1";
import { startCluster } from "../../src/index.ts";

/** Resources that stopped clusters leave behind. */
export interface ResourceLeak {
  /** Heap bytes per cluster. */
  readonly heap: number;
  /** Timers, sockets and processes that did not exist before. */
  readonly handles: readonly string[];
}

/** Starts, uses and stops clusters one after the other. */
export async function runClusterLifecycles(count: number): Promise<ResourceLeak> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const heap = async () => {
    for (let i = 0; i < 4; i++) {
      await new Promise((turn) => setImmediate(turn));
      collect();
    }
    return process.memoryUsage().heapUsed;
  };
  // Warm-up: values created once, and compiled code.
  for (let i = 0; i < 10; i++) await runClusterLifecycle(i);
  const [heapBefore, before] = [await heap(), handles()];
  for (let i = 0; i < count; i++) await runClusterLifecycle(i);
  const left = handles();
  for (const each of before) if (left.includes(each)) left.splice(left.indexOf(each), 1);
  return { heap: ((await heap()) - heapBefore) / count, handles: left };
}

const handles = () => process.getActiveResourcesInfo().filter((each) => each !== "Immediate");

async function runClusterLifecycle(i: number): Promise<void> {
  await using cluster = await startCluster(i % 5 === 0 ? { plainHttp: true } : {});
  const client = cluster.client();
  await cluster.ready;
  const watching = (async () => {
    for await (const _ of client.watch(ConfigMap, { namespace: "default" })) break;
  })();
  await client.create(ConfigMap, { metadata: { name: "a", namespace: "default" }, data: { i: "x".repeat(100_000) } });
  await watching;
  if (cluster.plainUrl !== "") await (await fetch(`${cluster.plainUrl}/version`, { headers: { connection: "close" } })).text();
  if (i % 10 === 0) await cluster.restart();
  if (i % 10 === 1) await useFork(await cluster.fork());
  await cluster.settled();
}

async function useFork(fork: Awaited<ReturnType<typeof startCluster>>): Promise<void> {
  await fork.client().delete(ConfigMap, { name: "a", namespace: "default" });
  await fork.settled();
  await fork.stop();
}
