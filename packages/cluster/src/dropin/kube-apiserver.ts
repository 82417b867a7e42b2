import { deferOptimization } from "pintle/internal/process";
import { main } from "./kube-apiserver/main.ts";

deferOptimization();
await main(process.argv.slice(2));
