import { type Dirent, existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import path from "node:path";
import { CommandError } from "../command.ts";
import type { Base } from "./base.ts";
import { blob, MEDIA, type Platform } from "./blob.ts";
import { type Entry, tar } from "./tar.ts";

const PATH = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];

/** Whether a folder holds the files of a system. */
export const isRootfs = (folder: string) => ["bin", "usr"].some((each) => existsSync(path.join(folder, each)));

/** A base made of a folder that holds the files of a system with Node: one layer, the same bytes for the same files. */
export function rootfsBase(folder: string, shown: string, platform: Platform): Base {
  if (!isRootfs(folder)) throw new CommandError(`pintle build: ${shown} holds no system: it has neither bin nor usr`);
  if (!PATH.some((each) => isThere(path.join(folder, each, "node"))))
    throw new CommandError(`pintle build: ${shown} has no node in ${PATH.join(", ")}: unpack a system that has Node there`);
  const layer = blob(MEDIA.layer, tar(entriesOf(folder)));
  return {
    platform,
    layers: [layer],
    config: { Env: [`PATH=${PATH.join(":")}`] },
    diffIds: [layer.digest],
    name: `rootfs@${layer.digest}`,
  };
}

/** Also as a link that leads somewhere only inside of the image. */
function isThere(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
}

/** Sockets and devices belong to a running system, not to an image. */
function entriesOf(folder: string): readonly Entry[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((found) => entryOf(folder, found));
}

function entryOf(folder: string, found: Dirent): readonly Entry[] {
  const file = path.join(found.parentPath, found.name);
  const name = path.relative(folder, file).replaceAll(path.sep, "/");
  const mode = lstatSync(file).mode & 0o7777;
  if (found.isSymbolicLink()) return [{ path: name, mode: 0o777, link: readlinkSync(file) }];
  if (found.isDirectory()) return [{ path: `${name}/`, mode }];
  return found.isFile() ? [{ path: name, mode, data: readFileSync(file) }] : [];
}
