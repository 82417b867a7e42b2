import { readdirSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import type { Pod } from "pintle/kinds/core/v1";
import type { ContainerLaunch, IsolationDriver, PodSandbox, SpawnOptions } from "./isolation-driver.ts";
import { rewriteMountPaths, rewriteText } from "./rewrite-text.ts";

export interface LoopbackDriverOptions {
  /** Resolves a name in a namespace to an address. */
  resolve(name: string, namespace: string): string | undefined;
  /** Whether processes may run as another user. */
  readonly isRoot: boolean;
}

/**
 * Creates the driver that isolates pods only by loopback addresses, on Linux without privileges. Paths, names and addresses in arguments
 * and variables are rewritten by `rewriteText`.
 */
export function createLoopbackDriver({ resolve, isRoot }: LoopbackDriverOptions): IsolationDriver {
  return {
    mode: "loopback",
    hostAddress: "127.0.0.1",
    async createSandbox(pod, address) {
      return createSandbox(pod, address, (name) => resolve(name, pod.metadata.namespace), isRoot);
    },
    // All of 127.0.0.0/8 belongs to the machine.
    async assignAddress() {},
    async unassignAddress() {},
    async close() {},
  };
}

function createSandbox(pod: Pod, address: string, resolve: (name: string) => string | undefined, isRoot: boolean): PodSandbox {
  const spawnOf = ({ argv, env, workingDir, mounts, user, folder, rootfs }: ContainerLaunch): SpawnOptions => {
    const visibleMounts = rootfs === undefined ? mounts : [...listImageFolders(rootfs), ...mounts];
    const rewriteOptions = { mounts: visibleMounts, address, resolve };
    const [program = "", ...args] = argv;
    return {
      // The program is one of the machine's: only its arguments are rewritten.
      command: program,
      args: args.map((each) => rewriteText(each, rewriteOptions)),
      env: {
        ...Object.fromEntries(Object.entries(env).map(([name, value]) => [name, rewriteText(value, rewriteOptions)])),
        HOSTNAME: getHostname(pod),
      },
      cwd: workingDir === undefined ? folder : rewriteMountPaths(workingDir, visibleMounts),
      ...(user !== undefined && isRoot ? { user } : {}),
    };
  };
  return {
    address,
    async buildSpawn(launch) {
      await mkdir(launch.folder, { recursive: true });
      return spawnOf(launch);
    },
    buildExec: (_, launch) => spawnOf({ ...launch, argv: rewriteTarArguments(launch) }),
    async close() {},
  };
}

/** Adds transformations to a `tar` command so that the archive has the paths of the container, which `kubectl cp` expects. */
function rewriteTarArguments({ argv, mounts }: ContainerLaunch): readonly string[] {
  const [program = "", mode = "", ...rest] = argv;
  if (path.basename(program) !== "tar" || !/^-?c/.test(mode)) return argv;
  const stripLeadingSlashes = (file: string) => file.replace(/^\/+/, "");
  const named = mounts.map(
    (each) => `--transform=s|^/*${escapeTarPattern(stripLeadingSlashes(each.source))}|${stripLeadingSlashes(each.path)}|`,
  );
  return [program, ...named, mode.startsWith("-") ? mode : `-${mode}`, ...rest];
}

/** Escapes a pattern of tar. A leading "/" would be rewritten as a path in the container. */
const escapeTarPattern = (text: string) => text.replace(/[.*[\]^$\\|]/g, "\\$&");

const SYSTEM_FOLDERS = new Set([
  "bin",
  "boot",
  "dev",
  "etc",
  "lib",
  "lib32",
  "lib64",
  "proc",
  "root",
  "run",
  "sbin",
  "sys",
  "tmp",
  "usr",
  "var",
]);

/** Lists the folders of an image that do not belong to the system, such as "/app". */
function listImageFolders(rootfs: string) {
  return readdirSync(rootfs)
    .filter((name) => !SYSTEM_FOLDERS.has(name))
    .map((name) => ({ path: `/${name}`, source: path.join(rootfs, name) }));
}

export const getHostname = ({ metadata, spec }: Pod) => spec.hostname ?? metadata.name.slice(0, 63);
