import { copyFile, mkdir } from "node:fs/promises";
import path from "node:path";
import type { ContainerLaunch } from "./isolation-driver.ts";
import { runHostCommand } from "./pod-bridge.ts";

/** Where an unpacked image finds the launcher: below /dev, which is a file system of the container's own. */
const MOUNT_PATH = "/dev/pintle";

/** The launcher in a container whose root lacks the machine's programs: setpriv, run by its own dynamic loader. */
export const MOUNTED_LAUNCHER = [`${MOUNT_PATH}/loader`, "--library-path", MOUNT_PATH, `${MOUNT_PATH}/setpriv`];

/**
 * Copies setpriv with its loader and libraries into a folder, and returns the mount. Capabilities can only be given up after the change of the
 * root, which needs some itself, so the program that gives them up must be executable inside of the image.
 */
export async function installLauncher(setpriv: string, folder: string) {
  await mkdir(folder, { recursive: true, mode: 0o755 });
  for (const line of (await runHostCommand("ldd", [setpriv])).split("\n")) {
    // "libc.so.6 => /lib/libc.so.6 (0x7f...)", and for the loader only its path. linux-vdso has none.
    const words = line.trim().split(" ");
    const file = words.find((word) => word.startsWith("/"));
    if (file !== undefined) await copyFile(file, path.join(folder, words[1] === "=>" ? words[0]! : "loader"));
  }
  await copyFile(setpriv, path.join(folder, "setpriv"));
  return { source: folder, path: MOUNT_PATH, readOnly: true };
}

/** Builds the arguments of setpriv for the user and the privileges of a container. */
export function buildPrivilegeArguments({ user, capabilities, noNewPrivileges }: ContainerLaunch): readonly string[] {
  return [
    "--inh-caps=-all",
    ...(capabilities === undefined
      ? []
      : [`--bounding-set=${["-all", ...capabilities.map((name) => `+${name.toLowerCase()}`)].join(",")}`]),
    ...(noNewPrivileges === true ? ["--no-new-privs"] : []),
    ...(user === undefined ? [] : [`--reuid=${user.uid}`, `--regid=${user.gid}`, "--clear-groups"]),
    "--",
  ];
}
