import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { type Command, CommandError } from "../command.ts";
import { type Change, carryOut } from "../files.ts";
import { OUTPUT_ABOUT, OUTPUT_OPTION, outputOf } from "../output.ts";
import { nearest } from "../project/index.ts";
import { upgraded } from "../scaffold/index.ts";
import { ownVersion } from "./version.ts";

export const upgrade: Command = {
  name: "upgrade",
  summary: "Move a project to this version of Pintle: dependencies, scripts, settings; the rest is listed.",
  usage: "[--check] [--output json|yaml]",
  options: { check: { type: "boolean" }, ...OUTPUT_OPTION },
  about: { check: "write nothing; exit code 1 if there is something to do", ...OUTPUT_ABOUT },
  examples: ["npx @pintle/cli@latest upgrade", "pintle upgrade --check"],
  async run(args, io) {
    const output = outputOf("upgrade", args);
    const root = nearest(io.cwd);
    const read = (file: string) => (existsSync(path.join(root, file)) ? readFileSync(path.join(root, file), "utf8") : undefined);
    const found = upgraded(read, ownVersion());
    if (typeof found === "string") throw new CommandError(`pintle upgrade: ${found}`);
    const changes = [...found.files].map(
      ([file, text]): Change => ({ file, text, change: read(file) === undefined ? "created" : "updated" }),
    );
    const check = args.values["check"] === true;
    if (!check) carryOut(root, changes);
    const told = { changes: found.changes, byHand: found.byHand };
    if (output !== undefined) io.out(output(told));
    else if (found.changes.length + found.byHand.length === 0) io.out(`the project is as Pintle ${ownVersion()} makes new ones\n`);
    else {
      for (const line of found.changes) io.out(`${check ? "would change" : "changed"}  ${line}\n`);
      for (const line of found.byHand) io.out(`by hand  ${line}\n`);
      if (!check && found.changes.length > 0) io.out("\n  npm install && npm run check && npm test && npx pintle generate\n");
    }
    return check && found.changes.length + found.byHand.length > 0 ? 1 : 0;
  },
};
