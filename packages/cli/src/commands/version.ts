import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { type Command, OUTPUT_DESCRIPTION, OUTPUT_OPTION, outputFormatter } from "../command/index.ts";

export const version: Command = {
  name: "version",
  summary: "Print the versions of pintle and Node.",
  usage: "[--output json|yaml]",
  options: OUTPUT_OPTION,
  optionDescriptions: OUTPUT_DESCRIPTION,
  examples: ["pintle version", "pintle version -o json"],
  async run(args, io) {
    const output = outputFormatter(args);
    const versions = { pintle: cliVersion(), node: process.versions.node, platform: `${process.platform}/${process.arch}` };
    io.out(output?.(versions) ?? `pintle ${versions.pintle}, Node ${versions.node}, ${versions.platform}\n`);
  },
};

/** Reads the version from the nearest package.json above this file, both in the sources and in the published package. */
export function cliVersion(): string {
  for (let folder = path.dirname(fileURLToPath(import.meta.url)); ; folder = path.dirname(folder)) {
    const file = path.join(folder, "package.json");
    if (existsSync(file)) return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
  }
}
