import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { formatHelp } from "../src/command/index.ts";
import { COMMANDS } from "../src/commands/index.ts";

test("docs/cli.md matches the help texts", () => {
  const text = readFileSync(new URL("../../../docs/cli.md", import.meta.url), "utf8");
  for (const command of COMMANDS)
    expect(text, "run npm run cli-reference").toContain(`### pintle ${command.name}\n\n\`\`\`\n${formatHelp(command).trimEnd()}\n\`\`\`\n`);
});
