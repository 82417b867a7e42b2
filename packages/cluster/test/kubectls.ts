import { execFile } from "node:child_process";
import { accessSync, constants, existsSync, readdirSync, realpathSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";

const NAME = /^kubectl(\.\d+\.\d+)?(\.exe)?$/;

/** Every kubectl on this machine: on the PATH, beside those (vendors ship one per minor), and built for the real control plane. */
export function findKubectls(env: NodeJS.ProcessEnv = process.env): readonly string[] {
  const built = join(env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "pintle", "real");
  const folders = [
    ...(env["PATH"] ?? "").split(delimiter),
    ...(env["KUBEBUILDER_ASSETS"] ? [env["KUBEBUILDER_ASSETS"]] : []),
    ...(existsSync(built) ? readdirSync(built).map((version) => join(built, version, "bin")) : []),
  ];
  const found = new Set(folders.flatMap(kubectlsIn));
  for (const kubectl of [...found]) for (const sibling of kubectlsIn(dirname(kubectl))) found.add(sibling);
  return [...found].sort();
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

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Kubectl extends AsyncDisposable {
  /** Runs to the end, whatever the end is. */
  (args: string, more?: { readonly input?: string; readonly env?: Readonly<Record<string, string>> }): Promise<Ran>;
  /** Runs, and throws what it said on stderr when it fails; answers with stdout. */
  ok(args: string, input?: string): Promise<string>;
  readonly folder: string;
}

/** A kubectl with a home of its own, so that no cache or configuration leaks in or out. */
export async function kubectlFor(path: string, kubeconfig: (file: string) => Promise<void>): Promise<Kubectl> {
  const folder = await mkdtemp(join(tmpdir(), "pintle-kubectl-"));
  const config = join(folder, "kubeconfig");
  await kubeconfig(config);
  const run = (args: string, { input = "", env = {} }: { readonly input?: string; readonly env?: Readonly<Record<string, string>> } = {}) =>
    new Promise<Ran>((resolve) => {
      const child = execFile(
        path,
        args.split(" "),
        { env: { PATH: process.env["PATH"], HOME: folder, KUBECONFIG: config, ...env }, timeout: 30_000 },
        (error, stdout, stderr) => resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr }),
      );
      child.stdin?.end(input);
    });
  return Object.assign(run, {
    folder,
    async ok(args: string, input?: string) {
      const { code, stdout, stderr } = await run(args, input === undefined ? {} : { input });
      if (code !== 0) throw new Error(`kubectl ${args}: ${stderr}${stdout}`);
      return stdout;
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  });
}
