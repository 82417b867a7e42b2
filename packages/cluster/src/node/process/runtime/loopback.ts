import { readdirSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import type { Pod } from "pintle/kinds/core/v1";
import type { Driver, Launch, Sandbox, Spawn } from "./driver.ts";
import { rewrite, underMounts } from "./rewrite.ts";

export interface LoopbackFacts {
  /** The address a name stands for in a namespace. */
  resolve(name: string, namespace: string): string | undefined;
  /** May become another user. */
  readonly isRoot: boolean;
}

/**
 * Pods that are told apart by a loopback address only, on Linux without any rights. What a program would find in its
 * image is rewritten into what is really there: see `rewrite`.
 */
export function loopbackDriver({ resolve, isRoot }: LoopbackFacts): Driver {
  return {
    mode: "loopback",
    hostAddress: "127.0.0.1",
    async sandbox(pod, address) {
      return sandboxOf(pod, address, (name) => resolve(name, pod.metadata.namespace), isRoot);
    },
    // All of 127.0.0.0/8 is the machine's own.
    async hold() {},
    async release() {},
    async close() {},
  };
}

function sandboxOf(pod: Pod, address: string, resolve: (name: string) => string | undefined, isRoot: boolean): Sandbox {
  const spawnOf = ({ argv, env, workingDir, mounts, user, folder, rootfs }: Launch): Spawn => {
    const seen = rootfs === undefined ? mounts : [...ownFolders(rootfs), ...mounts];
    const rules = { mounts: seen, address, resolve };
    const [program = "", ...args] = argv;
    return {
      // The program is one of this machine's: only what it is told is rewritten.
      command: program,
      args: args.map((each) => rewrite(each, rules)),
      env: { ...Object.fromEntries(Object.entries(env).map(([name, value]) => [name, rewrite(value, rules)])), HOSTNAME: hostname(pod) },
      cwd: workingDir === undefined ? folder : underMounts(workingDir, seen),
      ...(user !== undefined && isRoot ? { user } : {}),
    };
  };
  return {
    address,
    async launch(launch) {
      await mkdir(launch.folder, { recursive: true });
      return spawnOf(launch);
    },
    join: (_, launch) => spawnOf({ ...launch, argv: packedAsMounted(launch) }),
    async close() {},
  };
}

/** An archive's names are those of the container: `kubectl cp` looks for what it asked for. */
function packedAsMounted({ argv, mounts }: Launch): readonly string[] {
  const [program = "", mode = "", ...rest] = argv;
  if (path.basename(program) !== "tar" || !/^-?c/.test(mode)) return argv;
  const bare = (file: string) => file.replace(/^\/+/, "");
  const named = mounts.map((each) => `--transform=s|^/*${literal(bare(each.source))}|${bare(each.path)}|`);
  return [program, ...named, mode.startsWith("-") ? mode : `-${mode}`, ...rest];
}

/** For a pattern of tar's. What begins with "/" would be taken for a path in the container. */
const literal = (text: string) => text.replace(/[.*[\]^$\\|]/g, "\\$&");

const SYSTEM = new Set(["bin", "boot", "dev", "etc", "lib", "lib32", "lib64", "proc", "root", "run", "sbin", "sys", "tmp", "usr", "var"]);

/** What an image brings beside a system: "/app". */
function ownFolders(rootfs: string) {
  return readdirSync(rootfs)
    .filter((name) => !SYSTEM.has(name))
    .map((name) => ({ path: `/${name}`, source: path.join(rootfs, name) }));
}

export const hostname = ({ metadata, spec }: Pod) => spec.hostname ?? metadata.name.slice(0, 63);
