/** docs/living-cluster.md, command by command: the embedded cluster and a real control plane print what it shows. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { embedded, real } from "../controllers/servers.ts";
import { steps } from "../guides/console.ts";
import { steady } from "./page.ts";
import { asWritten, play } from "./play.ts";

const page = readFileSync(new URL("../../docs/living-cluster.md", import.meta.url), "utf8");

describe.each([
  ["the embedded cluster", embedded],
  ["a real control plane", real],
])("%s", (_, start) => {
  it("prints what docs/living-cluster.md shows", { timeout: 300_000 }, async () => {
    const server = await start();
    try {
      const printed = await play(page, server, asWritten);
      const line = (command: string, output: string, at: number) => `line ${at}: ${command}\n${steady(command, output)}`;
      const shown = steps(page);
      expect(shown.map((step, i) => line(step.command, printed[i]!, step.line))).toEqual(
        shown.map((step) => line(step.command, step.output, step.line)),
      );
    } finally {
      await server.stop();
    }
  });
});
