/** Writes into docs/living-cluster.md what its commands print on a real control plane. */
import { readFileSync, writeFileSync } from "node:fs";
import { real } from "../controllers/servers.ts";
import { steady, withOutputs } from "./page.ts";
import { play } from "./play.ts";

const file = new URL("../../docs/living-cluster.md", import.meta.url);
const page = readFileSync(file, "utf8");
/** So many looks in a row that see the same. */
const ALIKE = 10;

const server = await real();
let alike = 0;
const printed = await play(page, server, (now, before, _, command) => {
  alike = before !== undefined && steady(command, now) === steady(command, before) ? alike + 1 : 0;
  return alike >= ALIKE;
});
await server.stop();
writeFileSync(file, withOutputs(page, printed));
