import { readFileSync } from "node:fs";
import type { Command } from "../command.ts";

export const version: Command = {
  name: "version",
  summary: "Print the version of pintle and of Node.",
  usage: "[--output json]",
  options: { output: { type: "string", short: "o" } },
  about: { output: "json: one object" },
  examples: ["pintle version", "pintle version -o json"],
  async run({ values }, io) {
    const facts = { pintle: ownVersion(), node: process.versions.node, platform: `${process.platform}/${process.arch}` };
    io.out(values["output"] === "json" ? `${JSON.stringify(facts)}\n` : `pintle ${facts.pintle}, Node ${facts.node}, ${facts.platform}\n`);
  },
};

/** The package's own manifest is two folders up, in the sources as in the published package. */
export function ownVersion(): string {
  return (JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as { version: string }).version;
}
