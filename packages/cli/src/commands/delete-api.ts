import { existsSync } from "node:fs";
import path from "node:path";
import { type Command, CommandError } from "../command.ts";
import { type Change, carryOut } from "../files.ts";
import { findProject, sourcesOf } from "../project/index.ts";
import { withoutFile } from "../scaffold/index.ts";
import { definedIn } from "./create-api.ts";

export const deleteApi: Command = {
  name: "delete api",
  summary: "Take a resource out of a project: its source, test and sample, and its place in run().",
  usage: "--kind KIND [--group GROUP] [--yes]",
  options: { kind: { type: "string" }, group: { type: "string" }, yes: { type: "boolean", short: "y" } },
  about: {
    kind: "kind of the resource, such as Storefront",
    group: "its API group, where several have the kind",
    yes: "delete the files without asking",
  },
  examples: ["pintle delete api --kind Shelf --yes", "pintle delete api --kind Shelf --group store.example.com --yes"],
  async run({ values }, io) {
    const project = await findProject(io.cwd);
    const { kind, group } = values as Readonly<Record<string, string | undefined>>;
    if (kind === undefined) throw new CommandError("pintle delete api: say the resource's kind: --kind Storefront", 2);
    const found = definedIn(project, kind).filter(({ definition }) => group === undefined || definition.group === group);
    const [one, another] = found;
    if (one === undefined)
      throw new CommandError(`pintle delete api: no file defines ${kind}${group === undefined ? "" : ` of ${group}`}: nothing was changed`);
    if (another !== undefined) {
      throw new CommandError(`pintle delete api: ${found.map(({ file }) => file).join(" and ")} define ${kind}: say which with --group`, 2);
    }
    const name = path.posix.basename(one.file, ".ts");
    const [test, sample] = [`test/${name}.test.ts`, `config/samples/${name}.yaml`];
    const sources = sourcesOf(project);
    const users = [...sources]
      .filter(([file, text]) => file !== project.entry && file !== test && text.includes(`/${name}.ts"`))
      .map(([file]) => file);
    if (users.length > 0)
      throw new CommandError(
        `pintle delete api: ${users.join(", ")} ${users.length === 1 ? "imports" : "import"} ${one.file}: nothing was changed. Take that out first`,
      );
    const main = withoutFile(sources.get(project.entry) ?? "", name);
    if (main === undefined)
      throw new CommandError(
        `pintle delete api: ${project.entry} uses ${one.file} in its own way: nothing was changed. Take that out first`,
      );
    const gone = [one.file, test, sample].filter((file) => existsSync(path.join(project.root, file)));
    if (values["yes"] !== true) {
      if (io.ask === undefined)
        throw new CommandError(`pintle delete api: would delete ${gone.join(", ")}: say --yes to go on; nothing was changed`);
      const answer = await io.ask(`Delete ${gone.join(", ")}? [y/N] `);
      if (!/^y(es)?$/i.test(answer.trim())) throw new CommandError("pintle delete api: not done, nothing was changed");
    }
    const changes: readonly Change[] = [
      ...(main === sources.get(project.entry) ? [] : [{ file: project.entry, change: "updated" as const, text: main }]),
      ...gone.map((file): Change => ({ file, change: "deleted", text: undefined })),
    ];
    carryOut(project.root, changes);
    for (const { change, file } of changes) io.out(`${change}  ${file}\n`);
    io.out("\nIts manifests go with: pintle generate. A cluster that has its definition keeps it: kubectl get crds\n");
  },
};
