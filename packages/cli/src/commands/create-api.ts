import { existsSync } from "node:fs";
import path from "node:path";
import { type Command, CommandError, type Io } from "../command.ts";
import { carryOut, changesOf } from "../files.ts";
import { findProject, type Project, sourcesOf } from "../project/index.ts";
import {
  type Api,
  apiFiles,
  type Definition,
  definitions,
  resourceOf,
  variableOf,
  versionsOf,
  withApi,
  withVersion,
} from "../scaffold/index.ts";
import { API_ABOUT, API_OPTIONS, apiOf, FOREIGN_ABOUT, FOREIGN_OPTIONS, foreignOf } from "./api-words.ts";

export const createApi: Command = {
  name: "create api",
  summary: "Add a resource and its controller to a project, or a version to a resource.",
  usage: "--kind KIND [--group GROUP] [--version VERSION] [--cluster-scoped] [--no-controller] [--external]",
  options: { ...API_OPTIONS, ...FOREIGN_OPTIONS },
  about: { ...API_ABOUT, ...FOREIGN_ABOUT },
  examples: [
    "pintle create api --kind Shelf",
    "pintle create api --kind Shelf --version v1                      (another version of the same resource)",
    "pintle create api --group store --version v1 --kind Shelf --cluster-scoped",
    "pintle create api --external --group apps --version v1 --kind Deployment",
    "pintle create api --external --group cert-manager.io --version v1 --kind Certificate",
  ],
  async run(args, io) {
    const project = await findProject(io.cwd);
    if (args.values["external"] === true) return add(project, await foreignOf("create api", args), io);
    const domain = project.config.domain ?? `${project.name}.example.com`;
    const api = apiOf("create api", args, domain);
    const same = definedIn(project, api.kind);
    const here = same.find(({ definition }) => definition.group === api.group || definition.group === undefined);
    if (here !== undefined) return addVersion(project, here, api, io);
    add(project, same.length === 0 ? api : { ...api, prefix: prefixOf(api.group, domain) }, io);
  },
};

interface Defined {
  readonly file: string;
  readonly text: string;
  readonly definition: Definition;
}

/** Where the project defines a resource of this kind. */
export function definedIn(project: Project, kind: string): readonly Defined[] {
  return [...sourcesOf(project)].flatMap(([file, text]) =>
    definitions(text)
      .filter((definition) => definition.kind === kind && !file.startsWith("test/"))
      .map((definition) => ({ file, text, definition })),
  );
}

/** The names that a resource's file gave it when it was made. */
export function nameIn(file: string, kind: string): { readonly kind: string; readonly file: string; readonly prefix?: string | undefined } {
  const name = path.posix.basename(file, ".ts");
  const prefix = name.endsWith(`-${kind.toLowerCase()}`) ? name.slice(0, -kind.length - 1) : undefined;
  return { kind, file: name, ...(prefix === undefined ? {} : { prefix }) };
}

/** "store" of "store.example.com" */
const prefixOf = (group: string, domain: string) => group.replace(`.${domain}`, "").split(".")[0]!;

function addVersion(project: Project, { file, text, definition }: Defined, api: Api, io: Io): void {
  const versions = versionsOf(text, definition);
  if (versions.includes(api.version)) {
    throw new CommandError(
      `pintle create api: ${file} has ${api.kind} ${api.version} already: nothing was changed. Say another --version, --group or --kind`,
    );
  }
  const extended = withVersion(text, definition, api.version);
  if (extended === undefined) {
    throw new CommandError(
      `pintle create api: ${file} is not as it was made, so chain the version there yourself: .unchangedIn({ version: "${api.version}" })`,
    );
  }
  write(project, new Map([[file, extended]]), io);
  io.out(
    `\n${api.kind} is ${[...versions, api.version].join(", ")} now, all alike. Where the older one differs, chain it with .older({ ... }) instead\n`,
  );
}

function add(project: Project, api: Api, io: Io): void {
  const files = new Map(apiFiles(api));
  const there = [...files.keys()].filter((file) => existsSync(path.join(project.root, file)));
  if (there.length > 0) {
    throw new CommandError(
      `pintle create api: ${there.join(", ")} ${there.length === 1 ? "is" : "are"} there already: nothing was changed. Move ${there.length === 1 ? "it" : "them"}, or choose another --kind`,
    );
  }
  const main = sourcesOf(project).get(project.entry) ?? "";
  const extended = withApi(main, api);
  if (extended !== undefined) files.set(project.entry, extended);
  write(project, files, io);
  if (extended === undefined) {
    io.out(
      `\n${project.entry} is not as it was made, so add it there yourself: ${api.controller ? `controllers: [..., ${variableOf(api)}]` : `resources: [${resourceOf(api)}]`}\n`,
    );
  }
}

/** All of it, and says so. */
export function write(project: Project, files: ReadonlyMap<string, string>, io: Io): void {
  const changes = changesOf(project.root, files);
  carryOut(project.root, changes);
  for (const { change, file } of changes) io.out(`${change}  ${file}\n`);
}
