import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { type Command, CommandError, OUTPUT_DESCRIPTION, OUTPUT_OPTION, outputFormatter } from "../../command/index.ts";
import { type FileChange, findProjectRoot, writeChanges } from "../../project/index.ts";
import { planUpgrade, rewriteProject } from "../../upgrade/index.ts";
import { cliVersion } from "../version.ts";

export const upgrade: Command = {
  name: "upgrade",
  summary: "Upgrade a project to this version of Pintle: dependencies, scripts, settings, and renamed imports in its sources.",
  usage: "[--check] [--output json|yaml]",
  options: { check: { type: "boolean" }, ...OUTPUT_OPTION },
  optionDescriptions: { check: "do not write; list the files and changes, exit code 1 if there are any", ...OUTPUT_DESCRIPTION },
  examples: ["npx @pintle/cli@latest upgrade", "pintle upgrade --check", "pintle upgrade --check -o json"],
  async run(args, io) {
    const output = outputFormatter(args);
    const root = findProjectRoot(io.cwd);
    const read = (file: string) => (existsSync(path.join(root, file)) ? readFileSync(path.join(root, file), "utf8") : undefined);
    const settings = planUpgrade(read, cliVersion());
    if (typeof settings === "string") throw new CommandError("PINTLE7044", settings);
    const sources = rewriteProject(root);
    const changes = [...settings.changes, ...sources.changes];
    const manual = [...settings.manual, ...sources.manual];
    const isCheck = args.values["check"] === true;
    if (!isCheck) {
      const files = [...settings.files, ...sources.files];
      writeChanges(
        root,
        files.map(([file, text]): FileChange => ({ file, text, change: read(file) === undefined ? "created" : "updated" })),
      );
    }
    if (output !== undefined) io.out(output({ changes, manual }));
    else if (changes.length + manual.length === 0) io.out(`the project is up to date with Pintle ${cliVersion()}\n`);
    else {
      for (const line of changes) io.out(`${isCheck ? "would change" : "changed"}  ${line}\n`);
      for (const line of manual) io.out(`manual  ${line}\n`);
      if (!isCheck && changes.length > 0) io.out("\n  npm install && npm run check && npm test && npx pintle generate\n");
    }
    return isCheck && changes.length + manual.length > 0 ? 1 : 0;
  },
};
