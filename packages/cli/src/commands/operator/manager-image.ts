import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { type Io, type ParsedArguments, withProgress } from "../../command/index.ts";
import { buildImage, bundleProgram, parseImageReference } from "../../image/index.ts";
import { BASE_IMAGE_OPTIONS, fetchBaseImages, PLATFORM_DESCRIPTION, publishImage } from "../image/publish-image.ts";
import { cliVersion } from "../version.ts";

/** Options of a command that builds the image of the manager. */
export const IMAGE_OPTIONS = {
  push: { type: "boolean" },
  ...BASE_IMAGE_OPTIONS,
  "insecure-registry": { type: "boolean" },
} as const;
export const IMAGE_DESCRIPTIONS = {
  push: "build the image of the manager from this installation, without Docker, and push it to IMAGE first",
  base: "base image for --push, as in pintle build (default: the Node installation of this machine)",
  platform: PLATFORM_DESCRIPTION,
  "insecure-registry": "use plain HTTP for the registry of IMAGE, also from the cluster",
};

/** Builds the image of the manager and pushes it. Returns its digest. */
export async function pushManagerImage(image: string, { values }: Pick<ParsedArguments, "values">, io: Io): Promise<string> {
  const reference = parseImageReference(image);
  const baseImages = await fetchBaseImages(values, reference, io);
  io.signal.throwIfAborted();
  const program = await withProgress(io, "bundling the lifecycle manager", bundleProgram(findProgram()));
  const built = buildImage(program, baseImages, { name: "pintle-lifecycle-manager", version: cliVersion() });
  io.signal.throwIfAborted();
  await publishImage({ name: image, reference, image: built }, values, io);
  return built.root.digest;
}

/** The entry point of the installed package, or of its sources in a clone. */
function findProgram(): { readonly root: string; readonly entry: string } {
  const folder = path.dirname(fileURLToPath(import.meta.resolve("@pintle/lifecycle")));
  const name = existsSync(path.join(folder, "bin.ts")) ? "bin.ts" : "bin.js";
  return { root: path.dirname(folder), entry: path.join(path.basename(folder), name) };
}
