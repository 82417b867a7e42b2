import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Command } from "../command.ts";
import { OUTPUT_ABOUT, OUTPUT_OPTION, outputOf } from "../output.ts";

export const version: Command = {
  name: "version",
  summary: "Print the version of pintle and of Node.",
  usage: "[--output json|yaml]",
  options: OUTPUT_OPTION,
  about: OUTPUT_ABOUT,
  examples: ["pintle version", "pintle version -o json"],
  async run(args, io) {
    const output = outputOf("version", args);
    const facts = { pintle: ownVersion(), node: process.versions.node, platform: `${process.platform}/${process.arch}` };
    io.out(output?.(facts) ?? `pintle ${facts.pintle}, Node ${facts.node}, ${facts.platform}\n`);
  },
};

/** From the package's own manifest: the nearest one above, in the sources as in the published package. */
export function ownVersion(): string {
  for (let folder = path.dirname(fileURLToPath(import.meta.url)); ; folder = path.dirname(folder)) {
    const file = path.join(folder, "package.json");
    if (existsSync(file)) return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
  }
}
