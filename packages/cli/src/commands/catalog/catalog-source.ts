import { existsSync, statSync } from "node:fs";
import path from "node:path";
import { CommandError, type Io, type ParsedArguments } from "../../command/index.ts";

/** The options of commands that read images. */
export const REGISTRY_OPTION = { "insecure-registry": { type: "boolean" } } as const;
export const REGISTRY_DESCRIPTION = { "insecure-registry": "use plain HTTP for registries" };

/** Where a catalog is, in the help of commands. */
export const SOURCE_HELP = "a folder, an image, oci:FOLDER or docker-archive:FILE";

/** How images are opened, from the options of a command. */
export function imageOptions({ values }: Pick<ParsedArguments, "values">, io: Pick<Io, "cwd" | "signal">) {
  const insecure = values["insecure-registry"] === true;
  return { cwd: io.cwd, signal: io.signal, insecure: () => insecure };
}

/** Gives `use` the folder of a catalog: the folder that is named, or one that an image is unpacked to while `use` runs. */
export async function withCatalogFolder<T>(
  source: string,
  args: Pick<ParsedArguments, "values">,
  io: Pick<Io, "cwd" | "signal">,
  use: (folder: string, image: { readonly digest: string } | undefined) => Promise<T>,
): Promise<T> {
  const { openImage, parseLocalImage, resolveImage } = await import("@pintle/lifecycle/internal/image");
  const { withCatalogImage } = await import("@pintle/lifecycle/internal/source");
  const folder = path.resolve(io.cwd, source);
  if (parseLocalImage(source, io.cwd) === undefined) {
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return use(folder, undefined);
    if (/^\.{0,2}\//.test(source) || existsSync(folder) || !/[/:]/.test(source)) {
      throw new CommandError("PINTLE7098", `${source} is not a folder: name ${SOURCE_HELP}`);
    }
  }
  const { images, reference } = await openImage(source, imageOptions(args, io));
  const image = await resolveImage(images, reference);
  return withCatalogImage(image, (unpacked) => use(unpacked, image));
}
