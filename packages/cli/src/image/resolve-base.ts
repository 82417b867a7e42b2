import { existsSync } from "node:fs";
import path from "node:path";
import { formatPlatform, openLayout, openRepository, type Platform } from "@pintle/lifecycle/internal/image";
import { CommandError } from "../command/index.ts";
import type { BaseImage } from "./base-image.ts";
import { buildMachineBase, getMachineArchitecture } from "./machine-base.ts";
import { parseImageReference } from "./parse-image-argument.ts";
import { filterByPlatform, readBaseImages } from "./read-base-images.ts";
import { buildRootfsBase, isRootfs } from "./rootfs-base.ts";

export interface BaseImageOptions {
  /**
   * An image reference ("ghcr.io/x/node:22"), a folder with an OCI layout ("./base" or "oci:base"), a root file system ("rootfs:base"), or
   * undefined for the Node installation of this machine.
   */
  readonly base: string | undefined;
  readonly platforms: readonly string[];
  /** Returns whether a registry is reached over plain HTTP. */
  insecure(registry: string): boolean;
  readonly cwd: string;
  readonly signal: AbortSignal;
}

/** Returns the base images, one per platform. */
export async function resolveBaseImages({ base, platforms, insecure, cwd, signal }: BaseImageOptions): Promise<readonly BaseImage[]> {
  if (base === undefined) return [await machineBaseFor(platforms)];
  const root = rootfsFolder(base, cwd);
  if (root !== undefined) return [buildRootfsBase(root, base, rootfsPlatform(platforms))];
  const folder = base.startsWith("oci:") ? base.slice(4) : base;
  const isFolder = base.startsWith("oci:") || existsSync(path.resolve(cwd, base, "oci-layout"));
  if (!isFolder && /^[./]/.test(base))
    throw new CommandError("PINTLE7071", `invalid --base ${base}: must be a folder with an OCI layout or a root file system`);
  const at = isFolder ? undefined : parseImageReference(base);
  const images = at === undefined ? openLayout(path.resolve(cwd, folder)) : openRepository(at, { insecure: insecure(at.registry), signal });
  const all = await readBaseImages(images, at?.reference ?? "latest");
  const found = filterByPlatform(all, platforms);
  const missing = platforms.filter((wanted) => !found.some(({ platform }) => formatPlatform(platform).startsWith(wanted)));
  if (missing.length > 0) {
    throw new CommandError(
      "PINTLE7072",
      `${base} has no image for ${missing.join(", ")}; available platforms: ${all.map(({ platform }) => formatPlatform(platform)).join(", ")}`,
    );
  }
  return found;
}

async function machineBaseFor(platforms: readonly string[]): Promise<BaseImage> {
  const own = `linux/${getMachineArchitecture()}`;
  const other = platforms.find((wanted) => wanted !== own);
  if (other !== undefined)
    throw new CommandError(
      "PINTLE7073",
      `the Node installation of this machine is ${own}, not ${other}: use --base with an image for that platform`,
      2,
    );
  return buildMachineBase();
}

function rootfsFolder(base: string, cwd: string): string | undefined {
  if (base.startsWith("rootfs:")) return path.resolve(cwd, base.slice("rootfs:".length));
  const folder = path.resolve(cwd, base);
  return !base.startsWith("oci:") && !existsSync(path.join(folder, "oci-layout")) && isRootfs(folder) ? folder : undefined;
}

/** A root file system does not record its platform. */
function rootfsPlatform([wanted, ...more]: readonly string[]): Platform {
  if (more.length > 0) throw new CommandError("PINTLE7006", "a root file system has one platform: use a single --platform", 2);
  const [os = "linux", architecture = getMachineArchitecture(), variant] = (wanted ?? "").split("/").filter(Boolean);
  return { os, architecture, ...(variant === undefined ? {} : { variant }) };
}
