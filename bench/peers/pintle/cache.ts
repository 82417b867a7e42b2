/** Our cache: lists everything of one kind, says what that took, then which markers it sees, and stays until its input ends. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { meta } from "pintle";
import { cache } from "pintle/cache";
import { connect } from "pintle/client";
import { Pod } from "pintle/kinds/core/v1";
import { Worker } from "./worker.ts";

const [of, metadataOnly] = process.argv.slice(2);
const whole = of === "workers" ? Worker : Pod;
const kind = metadataOnly === "metadata-only" ? meta(whole) : whole;

const client = await connect();
const before = heap();
const started = performance.now();
const view = cache({ client }).watch(kind);
view.on((change) => {
  const name = change.new?.metadata.name;
  if (name?.startsWith("marker-"))
    process.stdout.write(`seen ${name} ${Math.round((performance.timeOrigin + performance.now()) * 1000)}\n`);
});
await view.synced();
const milliseconds = performance.now() - started;
const heapBytes = heap() - before;
console.log(JSON.stringify({ objects: view.list().length, milliseconds, heapBytes }));
process.stdin.on("end", () => process.exit()).resume();
process.on("SIGTERM", () => process.exit());

function heap(): number {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
