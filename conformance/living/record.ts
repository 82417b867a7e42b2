/** Writes the output of the commands of docs/living-cluster.md, as printed on a real control plane, into the page. */
import { readFileSync, writeFileSync } from "node:fs";
import { startReal } from "../controllers/servers.ts";
import { maskPageOutput, replaceOutputs } from "./page.ts";
import { runPage } from "./run-page.ts";

const file = new URL("../../docs/living-cluster.md", import.meta.url);
const page = readFileSync(file, "utf8");
/** Number of consecutive reads with equal output before it is recorded. */
const REQUIRED_READS = 10;

const server = await startReal();
let equalOutputs = 0;
const printed = await runPage(page, server, (now, before, _, command) => {
  equalOutputs = before !== undefined && maskPageOutput(command, now) === maskPageOutput(command, before) ? equalOutputs + 1 : 0;
  return equalOutputs >= REQUIRED_READS;
});
await server.stop();
writeFileSync(file, replaceOutputs(page, printed));
