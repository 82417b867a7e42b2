import { startCluster } from "@pintle/cluster";

/** Runs in a process of its own, as a user's would: no loader of TypeScript beside it, whose collections are not ours. */
const cluster = await startCluster({ http: true, without: true });
await cluster.writeKubeconfig(process.argv[2]);
process.on("disconnect", () => process.exit());
process.send?.("ready");
