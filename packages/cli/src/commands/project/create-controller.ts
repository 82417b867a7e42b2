import { type Command, CommandError } from "../../command/index.ts";
import { findProject, readSources } from "../../project/index.ts";
import { addController, addToRunList, hasController } from "../../scaffold/index.ts";
import { findDefinedResources, namesFromFile, writeFiles } from "./create-api.ts";
import { isOfGroup, selectResource } from "./select-resource.ts";

export const createController: Command = {
  name: "create controller",
  summary: "Add a controller to a resource that has none.",
  usage: "--kind KIND [--group GROUP]",
  options: { kind: { type: "string" }, group: { type: "string" }, version: { type: "string" } },
  optionDescriptions: {
    kind: "kind of a resource of the project",
    group: "API group of the resource, if the kind is ambiguous",
    version: "version of the resource (ignored: a controller uses the newest version)",
  },
  examples: ["pintle create controller --kind Catalog"],
  async run({ values }, io) {
    const project = await findProject(io.cwd);
    const { kind, group } = values as Readonly<Record<string, string | undefined>>;
    if (kind === undefined) throw new CommandError("PINTLE7004", "missing --kind, for example --kind Storefront", 2);
    const found = findDefinedResources(project, kind).filter((each) => isOfGroup(each.group, group));
    const match = await selectResource(kind, found, io);
    if (match === undefined)
      throw new CommandError("PINTLE7035", `no source file defines ${kind}. Create it with 'pintle create api --kind ${kind}'`);
    const name = namesFromFile(match.file, kind);
    if (hasController(match.text, name)) return io.out(`${match.file} already has a controller for ${kind}, nothing was changed\n`);
    const text = addController(match.text, name);
    if (text === undefined)
      throw new CommandError(
        "PINTLE7034",
        `${match.file} does not have the scaffolded form. Add controller(${kind}, { reconcile }) by hand`,
      );
    const main = addToRunList(readSources(project).get(project.entry) ?? "", "controllers", name);
    writeFiles(project, new Map([[match.file, text], ...(main === undefined ? [] : [[project.entry, main] as const])]), io);
    if (main === undefined)
      io.out(`\n${project.entry} does not have the scaffolded form. Add the controller by hand: controllers: [...]\n`);
  },
};
