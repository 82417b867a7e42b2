import { type Dirent, existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import path from "node:path";
import { createBlob, createTar, MEDIA_TYPES, type Platform, type TarEntry } from "@pintle/lifecycle/internal/image";
import { CommandError } from "../command/index.ts";
import type { BaseImage } from "./base-image.ts";

const BIN_FOLDERS = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];

/** Reports whether a folder looks like a root file system. */
export const isRootfs = (folder: string) => ["bin", "usr"].some((each) => existsSync(path.join(folder, each)));

/** Builds a base image from a root file system with Node: one layer, with equal bytes for equal files. */
export function buildRootfsBase(folder: string, displayName: string, platform: Platform): BaseImage {
  if (!isRootfs(folder)) throw new CommandError("PINTLE7071", `${displayName} is not a root file system: it has neither bin nor usr`);
  if (!BIN_FOLDERS.some((each) => existsAsEntry(path.join(folder, each, "node"))))
    throw new CommandError("PINTLE7071", `${displayName} has no node binary in ${BIN_FOLDERS.join(", ")}`);
  const layer = createBlob(MEDIA_TYPES.layer, createTar(readEntries(folder)));
  return {
    platform,
    layers: [layer],
    config: { Env: [`PATH=${BIN_FOLDERS.join(":")}`] },
    diffIds: [layer.digest],
    name: `rootfs@${layer.digest}`,
  };
}

/** Also true for symbolic links whose target exists only inside the image. */
function existsAsEntry(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
}

/** Sockets and devices are skipped. */
function readEntries(folder: string): readonly TarEntry[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((found) => toTarEntry(folder, found));
}

function toTarEntry(folder: string, found: Dirent): readonly TarEntry[] {
  const file = path.join(found.parentPath, found.name);
  const name = path.relative(folder, file).replaceAll(path.sep, "/");
  const mode = lstatSync(file).mode & 0o7777;
  if (found.isSymbolicLink()) return [{ path: name, mode: 0o777, link: readlinkSync(file) }];
  if (found.isDirectory()) return [{ path: `${name}/`, mode }];
  return found.isFile() ? [{ path: name, mode, data: readFileSync(file) }] : [];
}
