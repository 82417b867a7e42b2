/** Caches all pods of a server, and prints the memory in use once idle: `{ objects, rss, peak, heap }`, in bytes. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { connect } from "pintle/client";
import { createCache } from "pintle/internal/cache";
import { metadataOnly } from "pintle/kinds";
import { Pod } from "pintle/kinds/core/v1";

const [server = "", keeps] = process.argv.slice(2);
const client = await connect({ access: { server } });
const local = createCache({ client });
const names = ({ apiVersion, kind, metadata: { name, namespace, uid, resourceVersion, creationTimestamp } }: Pod) =>
  ({ apiVersion, kind, metadata: { name, namespace, uid, resourceVersion, creationTimestamp } }) as Pod;
const view = keeps === "metadata" ? local.watch(metadataOnly(Pod)) : local.watch(Pod, keeps === "names" ? { transform: names } : {});
await view.waitForSync();
setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;
// The first collection frees garbage, the second returns pages to the system.
for (let i = 0; i < 2; i++) collect();
const { rss, heapUsed } = process.memoryUsage();
console.log(JSON.stringify({ objects: view.list().length, rss, peak: process.resourceUsage().maxRSS * 1024, heap: heapUsed }));
process.exit(0);
