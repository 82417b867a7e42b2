import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { isLoopbackUrl } from "pintle/internal/loopback";
import { type Io, type ParsedArguments, withProgress } from "../../command/index.ts";
import { buildImage, bundleProgram, openRepository, parseImageReference, pushImage, resolveBaseImages } from "../../image/index.ts";
import { cliVersion } from "../version.ts";

/** Options of a command that builds the image of the manager. */
export const IMAGE_OPTIONS = {
  push: { type: "boolean" },
  base: { type: "string" },
  platform: { type: "string" },
  "insecure-registry": { type: "boolean" },
} as const;
export const IMAGE_DESCRIPTIONS = {
  push: "build the image of the manager from this installation, without Docker, and push it to IMAGE first",
  base: "base image for --push, as in pintle build (default: the Node installation of this machine)",
  platform: "comma-separated platforms of the base image, such as linux/amd64,linux/arm64 (default: all)",
  "insecure-registry": "use plain HTTP for the registry of IMAGE, also from the cluster",
};

/** Builds the image of the manager and pushes it. Returns its digest. */
export async function pushManagerImage(image: string, { values }: Pick<ParsedArguments, "values">, io: Io): Promise<string> {
  const reference = parseImageReference(image);
  const insecure = values["insecure-registry"] === true;
  const bases = resolveBaseImages({
    base: values["base"] as string | undefined,
    platforms: String(values["platform"] ?? "")
      .split(",")
      .filter(Boolean),
    insecure: (registry) => insecure && (registry === reference.registry || isLoopbackUrl(`http://${registry}`)),
    cwd: io.cwd,
    signal: io.signal,
  });
  const baseImages = await withProgress(io, "fetching the base image", bases);
  io.signal.throwIfAborted();
  const program = await withProgress(io, "bundling the lifecycle manager", bundleProgram(findProgram()));
  const built = buildImage(program, baseImages, { name: "pintle-lifecycle-manager", version: cliVersion() });
  io.signal.throwIfAborted();
  const repository = openRepository(reference, { insecure, signal: io.signal });
  await withProgress(io, `pushing ${image}`, pushImage(repository, built, reference.reference));
  return built.root.digest;
}

/** The entry point of the installed package, or of its sources in a clone. */
function findProgram(): { readonly root: string; readonly entry: string } {
  const folder = path.dirname(fileURLToPath(import.meta.resolve("@pintle/lifecycle")));
  const name = existsSync(path.join(folder, "bin.ts")) ? "bin.ts" : "bin.js";
  return { root: path.dirname(folder), entry: path.join(path.basename(folder), name) };
}
