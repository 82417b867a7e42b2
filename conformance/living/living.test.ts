/** Runs docs/living-cluster.md command by command: the embedded cluster and a real control plane print the output that it shows. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { startEmbedded, startReal } from "../controllers/servers.ts";
import { steps } from "../guides/console.ts";
import { maskPageOutput } from "./page.ts";
import { matchesPage, runPage } from "./run-page.ts";

const page = readFileSync(new URL("../../docs/living-cluster.md", import.meta.url), "utf8");

describe.each([
  ["the embedded cluster", startEmbedded],
  ["a real control plane", startReal],
])("%s", (_, start) => {
  it("prints what docs/living-cluster.md shows", { timeout: 300_000 }, async () => {
    const server = await start();
    try {
      const printed = await runPage(page, server, matchesPage);
      const line = (command: string, output: string, at: number) => `line ${at}: ${command}\n${maskPageOutput(command, output)}`;
      const shown = steps(page);
      expect(shown.map((step, i) => line(step.command, printed[i]!, step.line))).toEqual(
        shown.map((step) => line(step.command, step.output, step.line)),
      );
    } finally {
      await server.stop();
    }
  });
});
