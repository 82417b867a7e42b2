/** Fills a cache with all objects of a kind, prints the cost, then prints each marker it sees until stdin is closed. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { metadataOnly } from "pintle";
import { connect } from "pintle/client";
import { createCache } from "pintle/internal/cache";
import { Pod } from "pintle/kinds/core/v1";
import { Worker } from "./worker.ts";

const [kindName, mode] = process.argv.slice(2);
const fullKind = kindName === "workers" ? Worker : Pod;
const kind = mode === "metadata-only" ? metadataOnly(fullKind) : fullKind;

const client = await connect();
const before = measureHeap();
const started = performance.now();
const view = createCache({ client }).watch(kind);
view.addEventHandler((change) => {
  const name = change.new?.metadata.name;
  if (name?.startsWith("marker-"))
    process.stdout.write(`seen ${name} ${Math.round((performance.timeOrigin + performance.now()) * 1000)}\n`);
});
await view.waitForSync();
const milliseconds = performance.now() - started;
const heapBytes = measureHeap() - before;
console.log(JSON.stringify({ objects: view.list().length, milliseconds, heapBytes }));
process.stdin.on("end", () => process.exit()).resume();
process.on("SIGTERM", () => process.exit());

function measureHeap(): number {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
