import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { startTestApiServer } from "../api/harness.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const TEXT_BYTES = 256 * 1024;
const REQUESTS = 200;
/** All caches together may retain this; the texts that were sent are some 250 megabytes. */
const MAX_RETAINED_BYTES = 64 * 1024 * 1024;

/** Measures the heap and what is outside of it. One collection may leave what the event loop still holds or what is freed by a finalizer. */
async function measureMemory(): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 10; i++) {
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
    const { heapUsed, external } = process.memoryUsage();
    least = Math.min(least, heapUsed + external);
  }
  return least;
}

test("texts that clients choose are not retained beyond the bytes of the caches", async () => {
  await using api = await startTestApiServer();
  const longName = (n: number) => `${n}-`.padEnd(TEXT_BYTES, "x");
  const pod = (quantity: string) => ({
    metadata: { name: "a" },
    spec: { containers: [{ name: "a", image: "a", resources: { requests: { cpu: quantity } } }] },
  });
  const send = async (n: number) => {
    const configMaps = "/api/v1/namespaces/default/configmaps";
    await api.send("GET", configMaps, undefined, { accept: `application/json;q=0.5, application/${longName(n)}`, agent: longName(n) });
    await api.send("GET", `${configMaps}/${longName(n)}`);
    await api.send("POST", `${configMaps}?dryRun=All`, { metadata: { name: "a" }, data: { [longName(n)]: "" } }, { agent: longName(n) });
    await api.send("POST", "/api/v1/namespaces/default/pods?dryRun=All", pod("1".padStart(TEXT_BYTES, "0") + n));
  };
  for (let n = 0; n < 5; n++) await send(n);
  const before = await measureMemory();
  for (let n = 5; n < REQUESTS; n++) await send(n);
  expect((await measureMemory()) - before).toBeLessThan(MAX_RETAINED_BYTES);
}, 120_000);
