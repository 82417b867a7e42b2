import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { CommandError } from "../command/index.ts";
import { bundle } from "./bundle.ts";
import type { Config } from "./config.ts";
import { validateConfig } from "./validate-config.ts";

/** An operator's project: `pintle.config.ts` with its defaults applied. */
export interface Project {
  readonly root: string;
  readonly name: string;
  readonly version: string;
  readonly entry: string;
  readonly namespace: string;
  readonly image: string;
  readonly config: Config;
}

const OBJECT_NAME_PREFIX = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

/** Returns the project that contains `cwd`. */
export async function findProject(cwd: string): Promise<Project> {
  const root = findProjectRoot(cwd);
  const manifest = readPackageJson(path.join(root, "package.json"));
  const config = await loadConfig(root);
  const name = config.name ?? (manifest.name ?? path.basename(root)).replace(/^@[^/]+\//, "").toLowerCase();
  if (!OBJECT_NAME_PREFIX.test(name) || name.length > 40) {
    throw new CommandError(
      "PINTLE7022",
      `invalid project name "${name}": set \`name\` in pintle.config.ts to at most 40 lower-case letters, digits and dashes`,
    );
  }
  const entry = config.entry ?? "src/main.ts";
  if (!existsSync(path.join(root, entry))) {
    throw new CommandError("PINTLE7023", `entry file ${entry} not found: set \`entry\` in pintle.config.ts to the file that calls run()`);
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

/** Returns the nearest folder at or above `cwd` with a package.json. */
export function findProjectRoot(cwd: string): string {
  for (let folder = cwd; ; folder = path.dirname(folder)) {
    if (existsSync(path.join(folder, "package.json"))) return folder;
    if (folder === path.dirname(folder)) {
      throw new CommandError(
        "PINTLE7020",
        "no package.json found in this folder or its parents: change to an operator project, or create one with 'pintle init my-operator'",
      );
    }
  }
}

function readPackageJson(file: string): { readonly name?: string; readonly version?: string } {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as { name?: string; version?: string };
  } catch (error) {
    throw new CommandError("PINTLE7021", `cannot read ${file}: ${(error as Error).message}`);
  }
}

async function loadConfig(root: string): Promise<Config> {
  const file = "pintle.config.ts";
  if (!existsSync(path.join(root, file))) return {};
  await using built = await bundle(root, file);
  const { default: config } = (await import(pathToFileURL(built.file).href)) as { readonly default?: Config };
  if (config === undefined || config === null || typeof config !== "object") {
    throw new CommandError("PINTLE7024", `${file} has no default export: add \`export default { ... } satisfies Config;\``);
  }
  validateConfig(config);
  return config;
}
