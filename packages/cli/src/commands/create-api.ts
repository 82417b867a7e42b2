import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { type Command, CommandError } from "../command.ts";
import { carryOut, changesOf } from "../files.ts";
import { findProject } from "../project/index.ts";
import { apiFiles, variableOf, withApi } from "../scaffold/index.ts";
import { API_ABOUT, API_OPTIONS, apiOf } from "./api-words.ts";

export const createApi: Command = {
  name: "create api",
  summary: "Add a resource and its controller to a project.",
  usage: "--kind KIND [--group GROUP] [--version VERSION] [--scope SCOPE] [--no-controller]",
  options: API_OPTIONS,
  about: API_ABOUT,
  examples: ["pintle create api --kind Shelf", "pintle create api --group store --version v1 --kind Shelf --scope Cluster"],
  async run(args, io) {
    const project = await findProject(io.cwd);
    const api = apiOf("create api", args, project.config.domain ?? `${project.name}.example.com`);
    const files = new Map(apiFiles(api));
    const there = [...files.keys()].filter((file) => existsSync(path.join(project.root, file)));
    if (there.length > 0) {
      throw new CommandError(
        `pintle create api: ${there.join(", ")} ${there.length === 1 ? "is" : "are"} there already: nothing was changed. Another version of a resource is chained to it with .older(...)`,
      );
    }
    const main = readFileSync(path.join(project.root, project.entry), "utf8");
    const extended = withApi(main, api);
    if (extended !== undefined) files.set(project.entry, extended);
    const changes = changesOf(project.root, files);
    carryOut(project.root, changes);
    for (const { change, file } of changes) io.out(`${change}  ${file}\n`);
    if (extended === undefined) {
      io.out(
        `\n${project.entry} is not as it was made, so add it there yourself: ${api.controller ? `controllers: [..., ${variableOf(api)}]` : `resources: [${api.kind}]`}\n`,
      );
    }
  },
};
