import { startCluster } from "@pintle/cluster";

/** Runs in a child process: the embedded API server. JavaScript, so that no TypeScript loader adds to heap and garbage collection. */
const cluster = await startCluster({ http: true, without: true });
await cluster.writeKubeconfig(process.argv[2]);
process.on("disconnect", () => process.exit());
process.send?.("ready");
