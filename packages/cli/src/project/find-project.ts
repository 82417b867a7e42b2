import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { CommandError } from "../command.ts";
import { bundle } from "./bundle.ts";
import type { Config } from "./config.ts";

/** An operator's project, with what its `pintle.config.ts` left open filled in. */
export interface Project {
  readonly root: string;
  readonly name: string;
  readonly version: string;
  readonly entry: string;
  readonly namespace: string;
  readonly image: string;
  readonly config: Config;
}

const NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

/** The project that `cwd` is in: the nearest folder above with a package.json. */
export async function findProject(cwd: string): Promise<Project> {
  const root = nearest(cwd);
  const manifest = readManifest(path.join(root, "package.json"));
  const config = await loadConfig(root);
  const name = config.name ?? (manifest.name ?? path.basename(root)).replace(/^@[^/]+\//, "").toLowerCase();
  if (!NAME.test(name) || name.length > 40) {
    throw new CommandError(
      `pintle: "${name}" cannot begin the names of objects: set \`name\` in pintle.config.ts to lower-case letters, digits and dashes, at most 40`,
    );
  }
  const entry = config.entry ?? "src/main.ts";
  if (!existsSync(path.join(root, entry))) {
    throw new CommandError(`pintle: ${entry} is not there: set \`entry\` in pintle.config.ts to the file that calls run()`);
  }
  const version = manifest.version ?? "0.0.0";
  return {
    root,
    name,
    version,
    entry,
    namespace: config.namespace ?? `${name}-system`,
    image: config.image ?? `${name}:${version}`,
    config,
  };
}

/** The nearest folder above with a package.json. */
export function nearest(cwd: string): string {
  for (let folder = cwd; ; folder = path.dirname(folder)) {
    if (existsSync(path.join(folder, "package.json"))) return folder;
    if (folder === path.dirname(folder)) {
      throw new CommandError(
        `pintle: no package.json here or above: go to an operator's folder, or make one with: pintle init my-operator`,
      );
    }
  }
}

function readManifest(file: string): { readonly name?: string; readonly version?: string } {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as { name?: string; version?: string };
  } catch (error) {
    throw new CommandError(`pintle: ${file} cannot be read: ${(error as Error).message}`);
  }
}

async function loadConfig(root: string): Promise<Config> {
  const file = "pintle.config.ts";
  if (!existsSync(path.join(root, file))) return {};
  await using built = await bundle(root, file);
  const { default: config } = (await import(pathToFileURL(built.file).href)) as { readonly default?: Config };
  if (config === undefined || config === null || typeof config !== "object") {
    throw new CommandError(`pintle: ${file} has no default export: write \`export default { ... } satisfies Config;\``);
  }
  return config;
}
