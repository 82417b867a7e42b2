import { existsSync } from "node:fs";
import path from "node:path";
import type { BundleFiles } from "@pintle/lifecycle";
import { CommandError, type Io, withProgress } from "../../command/index.ts";

/** Reads a bundle from a folder, an OCI layout or a registry. */
export async function readBundleArgument(
  text: string,
  values: Readonly<Record<string, string | boolean | undefined>>,
  io: Io,
): Promise<BundleFiles> {
  const { openImage, readBundleFolder, readBundleImage, resolveImage } = await import("@pintle/lifecycle");
  const folder = path.resolve(io.cwd, text);
  if (existsSync(path.join(folder, "manifests"))) return readBundleFolder(folder);
  if (existsSync(folder) && !existsSync(path.join(folder, "oci-layout"))) {
    throw new CommandError("PINTLE7096", `${text} is not a bundle: it has no folder manifests`, 2);
  }
  if ((!/[:/]/.test(text) || /^\.{0,2}\//.test(text)) && !existsSync(folder))
    throw new CommandError("PINTLE7096", `${text} not found: 'pintle bundle' writes it`, 2);
  const insecure = values["insecure-registry"] === true;
  const { images, reference } = await openImage(text, { cwd: io.cwd, signal: io.signal, insecure: () => insecure });
  return withProgress(
    io,
    `reading ${text}`,
    resolveImage(images, reference).then((image) => readBundleImage(image)),
  );
}
