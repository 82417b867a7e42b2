/** Writes the output of the commands of docs/living-cluster.md, as printed on a real control plane, into the page. */
import { readFileSync, writeFileSync } from "node:fs";
import { startReal } from "../controllers/servers.ts";
import { maskPageOutput, replaceOutputs } from "./page.ts";
import { runPage } from "./run-page.ts";

const file = new URL("../../docs/living-cluster.md", import.meta.url);
const page = readFileSync(file, "utf8");
/** Number of consecutive reads with equal output before it is recorded. */
const ALIKE = 10;

const server = await startReal();
let alike = 0;
const printed = await runPage(page, server, (now, before, _, command) => {
  alike = before !== undefined && maskPageOutput(command, now) === maskPageOutput(command, before) ? alike + 1 : 0;
  return alike >= ALIKE;
});
await server.stop();
writeFileSync(file, replaceOutputs(page, printed));
