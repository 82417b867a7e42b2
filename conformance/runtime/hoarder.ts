/** Keeps all pods of a server in a cache, and says what that takes at rest: `{ objects, rss, peak, heap }`, in bytes. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { cache } from "pintle/cache";
import { connect } from "pintle/client";
import { meta } from "pintle/kinds";
import { Pod } from "pintle/kinds/core/v1";

const [server = "", keeps] = process.argv.slice(2);
const client = await connect({ access: { server } });
const local = cache({ client });
const names = ({ apiVersion, kind, metadata: { name, namespace, uid, resourceVersion, creationTimestamp } }: Pod) =>
  ({ apiVersion, kind, metadata: { name, namespace, uid, resourceVersion, creationTimestamp } }) as Pod;
const view = keeps === "metadata" ? local.watch(meta(Pod)) : local.watch(Pod, keeps === "names" ? { transform: names } : {});
await view.synced();
setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;
// Once to free what is garbage, once more to give the pages back.
for (let i = 0; i < 2; i++) collect();
const { rss, heapUsed } = process.memoryUsage();
console.log(JSON.stringify({ objects: view.list().length, rss, peak: process.resourceUsage().maxRSS * 1024, heap: heapUsed }));
process.exit(0);
