/** Our side of the cache: lists everything of one kind, says what that took, and stays until its input ends. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { meta } from "pintle";
import { cache } from "pintle/cache";
import { connect } from "pintle/client";
import { Pod } from "pintle/kinds/core/v1";
import { Worker } from "../worker.ts";

const [of, metadataOnly] = process.argv.slice(2);
const whole = of === "workers" ? Worker : Pod;
const kind = metadataOnly === "metadata-only" ? meta(whole) : whole;

const client = await connect();
const before = heap();
const started = performance.now();
const view = cache({ client }).watch(kind);
await view.synced();
const milliseconds = performance.now() - started;
// Measured before anyone reads: as the cache keeps them.
const heapBytes = heap() - before;
console.log(JSON.stringify({ objects: view.list().length, milliseconds, heapBytes }));
process.stdin.on("end", () => process.exit()).resume();

function heap(): number {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
