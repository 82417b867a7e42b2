/** The same operator and caches as the other peers have, on @kubernetes/client-node. The server comes as KUBECONFIG. */
import { KubeConfig } from "@kubernetes/client-node";
import { keep } from "./cache.ts";
import { operate } from "./operator.ts";

const [mode, of] = process.argv.slice(2);
const config = new KubeConfig();
config.loadFromDefault();
if (mode === "operator") await operate(config);
else await keep(config, of === "workers" ? "workers" : "pods");
