import { existsSync } from "node:fs";
import path from "node:path";
import { CommandError } from "../command.ts";
import type { Base } from "./base.ts";
import { type Platform, platformText } from "./blob.ts";
import { layoutImages } from "./layout.ts";
import { machineArchitecture, machineBase } from "./machine-base.ts";
import { parseReference, repository } from "./registry/index.ts";
import { isRootfs, rootfsBase } from "./rootfs-base.ts";
import { onPlatforms, storedBases } from "./stored-base.ts";

export interface BaseChoice {
  /**
   * "ghcr.io/x/node:22", a folder with an OCI layout ("./base" or "oci:base") or with the files of a system ("rootfs:base"), or
   * undefined: this machine's own Node.
   */
  readonly base: string | undefined;
  readonly platforms: readonly string[];
  readonly insecure: boolean;
  readonly cwd: string;
  readonly signal: AbortSignal;
}

/** The bases to build on, one per platform. */
export async function bases({ base, platforms, insecure, cwd, signal }: BaseChoice): Promise<readonly Base[]> {
  if (base === undefined) return [await onThisMachine(platforms)];
  const root = rootfsIn(base, cwd);
  if (root !== undefined) return [rootfsBase(root, base, platformOf(platforms))];
  const folder = base.startsWith("oci:") ? base.slice(4) : base;
  const isFolder = base.startsWith("oci:") || existsSync(path.resolve(cwd, base, "oci-layout"));
  if (!isFolder && /^[./]/.test(base))
    throw new CommandError(`pintle build: --base ${base} is no folder with an OCI layout or the files of a system`);
  const at = isFolder ? undefined : parseReference(base);
  const images = at === undefined ? layoutImages(path.resolve(cwd, folder)) : repository(at, { insecure, signal });
  const all = await storedBases(images, at?.reference ?? "latest");
  const found = onPlatforms(all, platforms);
  const missing = platforms.filter((wanted) => !found.some(({ platform }) => platformText(platform).startsWith(wanted)));
  if (missing.length > 0) {
    throw new CommandError(
      `pintle build: ${base} has no ${missing.join(", ")}, only ${all.map(({ platform }) => platformText(platform)).join(", ")}`,
    );
  }
  return found;
}

async function onThisMachine(platforms: readonly string[]): Promise<Base> {
  const own = `linux/${machineArchitecture()}`;
  const other = platforms.find((wanted) => wanted !== own);
  if (other !== undefined)
    throw new CommandError(`pintle build: this machine's own Node is ${own}, not ${other}: name a base that has it with --base`, 2);
  return machineBase();
}

function rootfsIn(base: string, cwd: string): string | undefined {
  if (base.startsWith("rootfs:")) return path.resolve(cwd, base.slice("rootfs:".length));
  const folder = path.resolve(cwd, base);
  return !base.startsWith("oci:") && !existsSync(path.join(folder, "oci-layout")) && isRootfs(folder) ? folder : undefined;
}

/** A folder does not say what its programs run on. */
function platformOf([wanted, ...more]: readonly string[]): Platform {
  if (more.length > 0) throw new CommandError("pintle build: a folder is one platform: say one --platform", 2);
  const [os = "linux", architecture = machineArchitecture(), variant] = (wanted ?? "").split("/").filter(Boolean);
  return { os, architecture, ...(variant === undefined ? {} : { variant }) };
}
