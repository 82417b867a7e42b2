import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { type Program, programs, type Recipe, recipes, stamp } from "./recipes.ts";
import { versions } from "./versions.ts";

/** Where the programs of a real control plane are, and which of them are there. */
export interface Binaries {
  readonly folder: string;
  /** True when KUBEBUILDER_ASSETS names the folder: then nothing is ever built into it. */
  readonly provided: boolean;
  readonly found: ReadonlySet<Program>;
  readonly missing: readonly Program[];
}

/**
 * Looks, and runs nothing. With KUBEBUILDER_ASSETS every program comes from there and only from
 * there, so that a server of one version is never paired with a controller manager of another.
 */
export function binaries(env: NodeJS.ProcessEnv = process.env): Binaries {
  const assets = env.KUBEBUILDER_ASSETS;
  const folder = assets || join(cacheFolder(env), "bin");
  const isThere = (program: Program) =>
    filesOf(program).every((file) => existsSync(join(folder, file))) && (assets ? true : isStamped(folder, program));
  const found = new Set(programs.filter(isThere));
  const missing = programs.filter((program) => !found.has(program));
  return { folder, provided: Boolean(assets), found, missing };
}

/** The folder that `npm run real:build` fills, one per Kubernetes version. */
export function cacheFolder(env: NodeJS.ProcessEnv = process.env): string {
  const cache = env.XDG_CACHE_HOME || join(homedir(), ".cache");
  return join(cache, "pintle", "real", versions.kubernetes);
}

export function stampFile(folder: string, program: Program): string {
  return join(folder, `.${program}.stamp`);
}

/** The path of a program; throws with the way out when it is not there. */
export function binary(program: Program, from: Binaries = binaries()): string {
  if (from.found.has(program)) return join(from.folder, program);
  throw new Error(
    from.provided
      ? `${program} is not in KUBEBUILDER_ASSETS (${from.folder}). Put it there, or unset KUBEBUILDER_ASSETS and run: npm run real:build`
      : `${program} ${versionOf(program)} is not built. Run: npm run real:build`,
  );
}

export function versionOf(program: Program): string {
  return recipes[program].version;
}

function filesOf(program: Program): readonly string[] {
  const { data }: Recipe = recipes[program];
  return data ? [program, data.file] : [program];
}

function isStamped(folder: string, program: Program): boolean {
  const file = stampFile(folder, program);
  return existsSync(file) && readFileSync(file, "utf8") === stamp(program);
}
