/** The Memcached operator and the cache of the benchmarks on @kubernetes/client-node. KUBECONFIG names the server. */
import { KubeConfig } from "@kubernetes/client-node";
import { runCache } from "./cache.ts";
import { runOperator } from "./operator.ts";

const [mode, kind] = process.argv.slice(2);
const config = new KubeConfig();
config.loadFromDefault();
if (mode === "operator") await runOperator(config);
else await runCache(config, kind === "workers" ? "workers" : "pods");
