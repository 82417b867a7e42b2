import { existsSync } from "node:fs";
import path from "node:path";
import { CommandError } from "../command.ts";
import type { Base } from "./base.ts";
import { platformText } from "./blob.ts";
import { layoutImages } from "./layout.ts";
import { machineBase } from "./machine-base.ts";
import { parseReference, repository } from "./registry/index.ts";
import { onPlatforms, storedBases } from "./stored-base.ts";

export interface BaseChoice {
  /** "ghcr.io/x/node:22", a folder with an OCI layout ("./base" or "oci:base"), or undefined: this machine's own Node. */
  readonly base: string | undefined;
  readonly platforms: readonly string[];
  readonly insecure: boolean;
  readonly cwd: string;
  readonly signal: AbortSignal;
}

/** The bases to build on, one per platform. */
export async function bases({ base, platforms, insecure, cwd, signal }: BaseChoice): Promise<readonly Base[]> {
  if (base === undefined) return [await machineBase()];
  const folder = base.startsWith("oci:") ? base.slice(4) : base;
  const isFolder = base.startsWith("oci:") || existsSync(path.resolve(cwd, base, "oci-layout"));
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
