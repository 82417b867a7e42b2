/** `npm run cli-reference`: writes the reference part of docs/cli.md from the help texts of the commands. */
import { readFileSync, writeFileSync } from "node:fs";
import { formatHelp } from "../packages/cli/src/command/index.ts";
import { COMMANDS } from "../packages/cli/src/commands/index.ts";

const BEGIN = "<!-- from here on written by scripts/cli-reference.ts -->";
const file = new URL("../docs/cli.md", import.meta.url);

/** The whole document as it should be. */
export function reference(text: string): string {
  const [head] = text.split(BEGIN);
  const sections = COMMANDS.map((command) => `### pintle ${command.name}\n\n\`\`\`\n${formatHelp(command).trimEnd()}\n\`\`\`\n`);
  return `${head}${BEGIN}\n\n${sections.join("\n")}`;
}

if (process.argv[1] === import.meta.filename) writeFileSync(file, reference(readFileSync(file, "utf8")));
