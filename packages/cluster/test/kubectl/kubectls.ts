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
 * The kubectls of this machine, oldest first, one per minor: on the PATH, beside those (vendors ship one per minor),
 * and built for the real control plane.
 */
export function findKubectls(env: NodeJS.ProcessEnv = process.env): readonly Kubectl[] {
  const built = join(env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "pintle", "real");
  const folders = [
    ...(env["PATH"] ?? "").split(delimiter),
    ...(env["KUBEBUILDER_ASSETS"] ? [env["KUBEBUILDER_ASSETS"]] : []),
    ...(existsSync(built) ? readdirSync(built).map((version) => join(built, version, "bin")) : []),
  ];
  const paths = new Set(folders.flatMap(kubectlsIn));
  for (const path of [...paths]) for (const sibling of kubectlsIn(dirname(path))) paths.add(sibling);
  const found = new Map<string, string>();
  for (const path of paths) {
    const minor = minorOf(path);
    if (minor !== undefined && !found.has(minor)) found.set(minor, path);
  }
  return [...found].map(([minor, path]) => ({ minor, path })).sort((a, b) => order(a.minor) - order(b.minor));
}

function kubectlsIn(folder: string): readonly string[] {
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

/** Undefined for what is not a plain release, such as the dispatchers that vendors put in front of theirs. */
function minorOf(path: string): string | undefined {
  try {
    const said = execFileSync(path, ["version", "--client", "-o", "json"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    const { gitVersion } = (JSON.parse(said) as { clientVersion: { gitVersion: string } }).clientVersion;
    return /^v(\d+\.\d+)\.\d+$/.exec(gitVersion)?.[1];
  } catch {
    return undefined;
  }
}

/** A minor as a number that sorts. */
export function order(minor: string): number {
  const [major = 0, rest = 0] = minor.split(".").map(Number);
  return major * 1000 + rest;
}
