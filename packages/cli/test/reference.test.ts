import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { helpOf } from "../src/command.ts";
import { COMMANDS } from "../src/commands/index.ts";

test("docs/cli.md says what the commands say", () => {
  const text = readFileSync(new URL("../../../docs/cli.md", import.meta.url), "utf8");
  for (const command of COMMANDS)
    expect(text, "run scripts/cli-reference.ts").toContain(`### pintle ${command.name}\n\n\`\`\`\n${helpOf(command).trimEnd()}\n\`\`\`\n`);
});
