import { existsSync } from "node:fs";
import path from "node:path";
import { type Command, CommandError, type Io } from "../../command/index.ts";
import { diffFiles, findProject, type Project, readSources, writeChanges } from "../../project/index.ts";
import {
  type Api,
  addApi,
  addVersion,
  controllerVariable,
  findDefinitions,
  listVersions,
  type ResourceDefinition,
  renderApiFiles,
  resourceVariable,
} from "../../scaffold/index.ts";
import { API_DESCRIPTIONS, API_OPTIONS, EXTERNAL_DESCRIPTIONS, EXTERNAL_OPTIONS, parseApi, parseExternalApi } from "./api-options.ts";
import { selectResource } from "./select-resource.ts";

export const createApi: Command = {
  name: "create api",
  summary: "Add a custom resource and its controller to the project, or a version to an existing resource.",
  usage: "--kind KIND [--group GROUP] [--version VERSION] [--cluster-scoped] [--no-controller] [--external]",
  options: { ...API_OPTIONS, ...EXTERNAL_OPTIONS },
  optionDescriptions: { ...API_DESCRIPTIONS, ...EXTERNAL_DESCRIPTIONS },
  examples: [
    "pintle create api --kind Catalog",
    "pintle create api --kind Catalog --version v1                      # another version of the same resource",
    "pintle create api --group store --version v1 --kind Catalog --cluster-scoped",
    "pintle create api --external --group apps --version v1 --kind Deployment",
    "pintle create api --external --group cert-manager.io --version v1 --kind Certificate",
  ],
  async run(args, io) {
    const project = await findProject(io.cwd);
    if (args.values["external"] === true) return addApiFiles(project, await parseExternalApi(args), io);
    const domain = project.config.domain ?? `${project.name}.example.com`;
    const api = parseApi(args, domain);
    const sameKind = findDefinedResources(project, api.kind);
    const sameGroup = await findExtended(sameKind, api, args.values["group"] !== undefined, io);
    if (sameGroup !== undefined) return addApiVersion(project, sameGroup, api, io);
    addApiFiles(project, sameKind.length === 0 ? api : { ...api, prefix: groupPrefix(api.group, domain) }, io);
  },
};

/** Returns the resource that gets another version. Without --group that is the only one with this kind, whatever its group, or the one that the user selects. */
async function findExtended(
  sameKind: readonly DefinedResource[],
  api: Api,
  hasGroupOption: boolean,
  io: Io,
): Promise<DefinedResource | undefined> {
  if (hasGroupOption) return sameKind.find(({ group }) => group === api.group || group === undefined);
  return selectResource(api.kind, sameKind, io);
}

interface DefinedResource {
  readonly file: string;
  readonly group: string | undefined;
  readonly text: string;
  readonly definition: ResourceDefinition;
}

/** Returns every definition of a resource with this kind in the project's sources. */
export function findDefinedResources(project: Project, kind: string): readonly DefinedResource[] {
  return [...readSources(project)].flatMap(([file, text]) =>
    findDefinitions(text)
      .filter((definition) => definition.kind === kind && !file.startsWith("test/"))
      .map((definition) => ({ file, text, definition, group: definition.group })),
  );
}

/** Returns the file name and group prefix that `create api` gave the resource. */
export function namesFromFile(
  file: string,
  kind: string,
): { readonly kind: string; readonly file: string; readonly prefix?: string | undefined } {
  const name = path.posix.basename(file, ".ts");
  const prefix = name.endsWith(`-${kind.toLowerCase()}`) ? name.slice(0, -kind.length - 1) : undefined;
  return { kind, file: name, ...(prefix === undefined ? {} : { prefix }) };
}

/** Returns "store" for "store.example.com". */
const groupPrefix = (group: string, domain: string) => group.replace(`.${domain}`, "").split(".")[0]!;

function addApiVersion(project: Project, { file, text, definition }: DefinedResource, api: Api, io: Io): void {
  const versions = listVersions(text, definition);
  if (versions.includes(api.version)) {
    throw new CommandError(
      "PINTLE7037",
      `${file} already defines ${api.kind} ${api.version}. Use another --version, --group or --kind. Nothing was changed`,
    );
  }
  const extended = addVersion(text, definition, api.version);
  if (extended === undefined) {
    throw new CommandError(
      "PINTLE7034",
      `${file} does not have the scaffolded form. Add the version by hand: .unchangedIn({ version: "${api.version}" })`,
    );
  }
  writeFiles(project, new Map([[file, extended]]), io);
  io.out(
    `\n${api.kind} now has the versions ${[...versions, api.version].join(", ")} with the same schema. If an older version differs, define it with .older({ ... })\n`,
  );
}

function addApiFiles(project: Project, api: Api, io: Io): void {
  const files = new Map(renderApiFiles(api));
  const existing = [...files.keys()].filter((file) => existsSync(path.join(project.root, file)));
  if (existing.length > 0) {
    throw new CommandError(
      "PINTLE7033",
      `${existing.join(", ")} already ${existing.length === 1 ? "exists" : "exist"}. Move ${existing.length === 1 ? "it" : "them"} or use another --kind. Nothing was changed`,
    );
  }
  const entrySource = readSources(project).get(project.entry) ?? "";
  const extended = addApi(entrySource, api);
  if (extended !== undefined) files.set(project.entry, extended);
  writeFiles(project, files, io);
  if (extended === undefined) {
    io.out(
      `\n${project.entry} does not have the scaffolded form. Add the resource by hand: ${api.controller ? `controllers: [..., ${controllerVariable(api)}]` : `resources: [${resourceVariable(api)}]`}\n`,
    );
  }
}

/** Writes the files and prints what changed. */
export function writeFiles(project: Project, files: ReadonlyMap<string, string>, io: Io): void {
  const changes = diffFiles(project.root, files);
  writeChanges(project.root, changes);
  for (const { change, file } of changes) io.out(`${change}  ${file}\n`);
}
