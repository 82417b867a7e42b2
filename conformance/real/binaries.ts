import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { type Program, programs, recipeOf, stamp } from "./build/recipes.ts";
import { selectedKubernetes, versions } from "./versions.ts";

/** The folder of the control plane's programs, and which of them are installed there. */
export interface Binaries {
  readonly folder: string;
  /** The Kubernetes version of the programs; of those in KUBEBUILDER_ASSETS it is assumed. */
  readonly kubernetes: string;
  /** True when KUBEBUILDER_ASSETS names the folder: then the build never writes into it. */
  readonly provided: boolean;
  readonly found: ReadonlySet<Program>;
  readonly missing: readonly Program[];
}

/**
 * Checks which files exist; runs nothing. With KUBEBUILDER_ASSETS every program comes from there and only from
 * there, so that a server of one version is never paired with a controller manager of another.
 */
export function binaries(env: NodeJS.ProcessEnv = process.env): Binaries {
  const assets = env.KUBEBUILDER_ASSETS;
  const kubernetes = selectedKubernetes(env);
  const folder = assets || join(cacheFolder(env), "bin");
  const isThere = (program: Program) =>
    filesOf(program, kubernetes).every((file) => existsSync(join(folder, file))) &&
    (assets ? true : isStamped(folder, program, kubernetes));
  const found = new Set(programs.filter(isThere));
  const missing = programs.filter((program) => !found.has(program));
  return { folder, kubernetes, provided: Boolean(assets), found, missing };
}

/** The folder that `npm run real:build` fills, one per Kubernetes version. */
export function cacheFolder(env: NodeJS.ProcessEnv = process.env): string {
  const cache = env.XDG_CACHE_HOME || join(homedir(), ".cache");
  return join(cache, "pintle", "real", selectedKubernetes(env));
}

export function stampFile(folder: string, program: Program): string {
  return join(folder, `.${program}.stamp`);
}

/** Returns the path of a program; throws with advice if it is not installed. */
export function binary(program: Program, from: Binaries = binaries()): string {
  if (from.found.has(program)) return join(from.folder, program);
  throw new Error(
    from.provided
      ? `${program} is not in KUBEBUILDER_ASSETS (${from.folder}). Put it there, or unset KUBEBUILDER_ASSETS and run: ${buildCommand(from)}`
      : `${program} ${recipeOf(program, from.kubernetes).version} is not built. Run: ${buildCommand(from)}`,
  );
}

/** The command that builds the programs of one Kubernetes version. */
export function buildCommand({ kubernetes }: Pick<Binaries, "kubernetes"> = binaries()): string {
  return `npm run real:build${kubernetes === versions.kubernetes ? "" : ` -- --kubernetes ${kubernetes}`}`;
}

/** Whether a built program of this folder is the one that the recipe describes. */
export function isStamped(folder: string, program: Program, kubernetes: string): boolean {
  const file = stampFile(folder, program);
  return existsSync(file) && readFileSync(file, "utf8") === stamp(recipeOf(program, kubernetes));
}

/** The files of a program: itself, and the data that it reads. */
export function filesOf(program: Program, kubernetes: string): readonly string[] {
  const { data } = recipeOf(program, kubernetes);
  return data ? [program, data.file] : [program];
}
