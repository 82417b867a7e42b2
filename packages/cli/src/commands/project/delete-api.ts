import { existsSync } from "node:fs";
import path from "node:path";
import { type Command, CommandError } from "../../command/index.ts";
import { type FileChange, findProject, type Project, readSources, writeChanges } from "../../project/index.ts";
import { apiFileName, definesExternalKind, removeFileImports } from "../../scaffold/index.ts";
import { findDefinedResources } from "./create-api.ts";
import { isOfGroup, selectResource } from "./select-resource.ts";

export const deleteApi: Command = {
  name: "delete api",
  summary: "Delete a resource from the project: its source, webhook, test and sample, and its entries in run().",
  usage: "--kind KIND [--group GROUP] [--yes]",
  options: { kind: { type: "string" }, group: { type: "string" }, yes: { type: "boolean", short: "y" } },
  optionDescriptions: {
    kind: "kind of the resource, such as Storefront",
    group: "API group of the resource, if the kind is ambiguous",
    yes: "do not ask for confirmation",
  },
  examples: ["pintle delete api --kind Catalog --yes", "pintle delete api --kind Catalog --group store.example.com --yes"],
  async run({ values }, io) {
    const project = await findProject(io.cwd);
    const { kind, group } = values as Readonly<Record<string, string | undefined>>;
    if (kind === undefined) throw new CommandError("PINTLE7004", "missing --kind, for example --kind Storefront", 2);
    const found = [
      ...findDefinedResources(project, kind).filter((each) => isOfGroup(each.group, group)),
      ...findExternalKind(project, kind, group),
    ];
    const match = await selectResource(kind, found, io);
    if (match === undefined)
      throw new CommandError(
        "PINTLE7035",
        `no source file defines ${kind}${group === undefined ? "" : ` of ${group}`}. Nothing was changed`,
      );
    const name = path.posix.basename(match.file, ".ts");
    const [test, sample] = [`test/${name}.test.ts`, `config/samples/${name}.yaml`];
    const webhook = `${path.posix.dirname(match.file)}/${name}-webhook.ts`;
    const sources = readSources(project);
    const importers = [...sources]
      .filter(([file, text]) => ![project.entry, test, webhook].includes(file) && text.includes(`/${name}.ts"`))
      .map(([file]) => file);
    if (importers.length > 0)
      throw new CommandError(
        "PINTLE7038",
        `${importers.join(", ")} ${importers.length === 1 ? "imports" : "import"} ${match.file}. Remove the import first. Nothing was changed`,
      );
    const withoutWebhook = removeFileImports(sources.get(project.entry) ?? "", `${name}-webhook`);
    const main = withoutWebhook && removeFileImports(withoutWebhook, name);
    if (main === undefined)
      throw new CommandError(
        "PINTLE7038",
        `${project.entry} uses ${match.file} outside of run(). Remove the use first. Nothing was changed`,
      );
    const deletedFiles = [match.file, webhook, test, sample].filter((file) => existsSync(path.join(project.root, file)));
    if (values["yes"] !== true) {
      if (io.prompt === undefined)
        throw new CommandError("PINTLE7007", `this deletes ${deletedFiles.join(", ")}: pass --yes to confirm. Nothing was changed`);
      const answer = await io.prompt(`Delete ${deletedFiles.join(", ")}? [y/N] `);
      if (!/^y(es)?$/i.test(answer.trim())) throw new CommandError("PINTLE7008", "cancelled, nothing was changed");
    }
    const changes: readonly FileChange[] = [
      ...(main === sources.get(project.entry) ? [] : [{ file: project.entry, change: "updated" as const, text: main }]),
      ...deletedFiles.map((file): FileChange => ({ file, change: "deleted", text: undefined })),
    ];
    writeChanges(project.root, changes);
    for (const { change, file } of changes) io.out(`${change}  ${file}\n`);
    const isExternal = !("definition" in match);
    if (isExternal) return io.out("\nRun 'pintle generate' to update the RBAC.\n");
    io.out("\nRun 'pintle generate' to delete its manifests. The CRD stays installed in clusters that have it: see 'kubectl get crds'\n");
  },
};

/** Returns the file that `create api --external` wrote for the kind. */
function findExternalKind(
  project: Project,
  kind: string,
  group: string | undefined,
): readonly { readonly file: string; readonly group: string | undefined }[] {
  const file = `src/${apiFileName({ kind })}.ts`;
  return definesExternalKind(readSources(project).get(file) ?? "", kind, group) ? [{ file, group }] : [];
}
