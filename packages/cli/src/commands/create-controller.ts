import { type Command, CommandError } from "../command.ts";
import { findProject, sourcesOf } from "../project/index.ts";
import { hasController, withController, withListed } from "../scaffold/index.ts";
import { definedIn, nameIn, write } from "./create-api.ts";

export const createController: Command = {
  name: "create controller",
  summary: "Give a resource that has none a controller.",
  usage: "--kind KIND [--group GROUP]",
  options: { kind: { type: "string" }, group: { type: "string" }, version: { type: "string" } },
  about: {
    kind: "kind of a resource of the project",
    group: "its API group, where several have the kind",
    version: "its version (for the record: a controller works with the newest one)",
  },
  examples: ["pintle create controller --kind Shelf"],
  async run({ values }, io) {
    const project = await findProject(io.cwd);
    const { kind, group } = values as Readonly<Record<string, string | undefined>>;
    if (kind === undefined) throw new CommandError("pintle create controller: say the resource's kind: --kind Storefront", 2);
    const [one, another] = definedIn(project, kind).filter(({ definition }) => group === undefined || definition.group === group);
    if (one === undefined)
      throw new CommandError(
        `pintle create controller: no file defines ${kind}: make it with pintle create api --kind ${kind}, controller and all`,
      );
    if (another !== undefined)
      throw new CommandError(`pintle create controller: ${one.file} and ${another.file} define ${kind}: say which with --group`, 2);
    const name = nameIn(one.file, kind);
    if (hasController(one.text, name)) return io.out(`${one.file} has a controller of ${kind} already: nothing was changed\n`);
    const text = withController(one.text, name);
    if (text === undefined)
      throw new CommandError(
        `pintle create controller: ${one.file} is not as it was made: write controller(${kind}, { reconcile }) there yourself`,
      );
    const main = withListed(sourcesOf(project).get(project.entry) ?? "", "controllers", name);
    write(project, new Map([[one.file, text], ...(main === undefined ? [] : [[project.entry, main] as const])]), io);
    if (main === undefined) io.out(`\n${project.entry} is not as it was made, so add it there yourself: controllers: [...]\n`);
  },
};
