import { startCluster } from "@pintle/cluster";

/** Runs in a process of its own: an embedded API server, and where it is to be found. */
const cluster = await startCluster({ http: true, without: true });
await cluster.writeKubeconfig(process.argv[2] as string);
process.on("disconnect", () => process.exit());
process.send?.("ready");
