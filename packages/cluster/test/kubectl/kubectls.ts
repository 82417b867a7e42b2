import { execFileSync } from "node:child_process";
import { accessSync, constants, existsSync, readdirSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";

export interface Kubectl {
  /** "1.33" */
  readonly minor: string;
  readonly path: string;
}

const NAME = /^kubectl(\.\d+\.\d+)?(\.exe)?$/;

/**
 * Finds the kubectls of this machine, oldest first, one per minor: on the PATH, beside those (vendors ship one per minor), and built for
 * the real control plane.
 */
export function findKubectls(env: NodeJS.ProcessEnv = process.env): readonly Kubectl[] {
  const built = join(env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "pintle", "real");
  const folders = [
    ...(env["PATH"] ?? "").split(delimiter),
    ...(env["KUBEBUILDER_ASSETS"] ? [env["KUBEBUILDER_ASSETS"]] : []),
    ...(existsSync(built) ? readdirSync(built).map((version) => join(built, version, "bin")) : []),
  ];
  const paths = new Set(folders.flatMap(listKubectls));
  for (const path of [...paths]) for (const sibling of listKubectls(dirname(path))) paths.add(sibling);
  const found = new Map<string, string>();
  for (const path of paths) {
    const minor = readMinor(path);
    if (minor !== undefined && !found.has(minor)) found.set(minor, path);
  }
  return [...found].map(([minor, path]) => ({ minor, path })).sort((a, b) => parseMinor(a.minor) - parseMinor(b.minor));
}

/** Keeps the kubectls whose output was recorded; a newer one on this machine is reported, because there is nothing to compare it with. */
export function keepRecorded(kubectls: readonly Kubectl[], isRecorded: (minor: string) => boolean): readonly Kubectl[] {
  for (const { minor } of kubectls.filter((kubectl) => !isRecorded(kubectl.minor))) {
    console.warn(`\n!!! SKIPPED: kubectl ${minor} has no recorded output; CONTRIBUTING.md says how to record it\n`);
  }
  return kubectls.filter(({ minor }) => isRecorded(minor));
}

function listKubectls(folder: string): readonly string[] {
  if (folder === "" || !existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => NAME.test(name))
    .map((name) => join(folder, name))
    .filter(isExecutable)
    .map((path) => realpathSync(path));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Returns undefined for anything but a release, such as the dispatchers of vendors. */
function readMinor(path: string): string | undefined {
  try {
    const output = execFileSync(path, ["version", "--client", "-o", "json"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    const { gitVersion } = (JSON.parse(output) as { clientVersion: { gitVersion: string } }).clientVersion;
    return /^v(\d+\.\d+)\.\d+$/.exec(gitVersion)?.[1];
  } catch {
    return undefined;
  }
}

/** Parses a minor into a number that sorts. */
export function parseMinor(minor: string): number {
  const [major = 0, rest = 0] = minor.split(".").map(Number);
  return major * 1000 + rest;
}
