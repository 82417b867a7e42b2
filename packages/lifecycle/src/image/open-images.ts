import { existsSync } from "node:fs";
import path from "node:path";
import { PintleError } from "pintle/internal/errors";
import { openDockerArchive } from "./docker-archive.ts";
import type { ImageStore } from "./image-store.ts";
import { openLayout } from "./oci-layout.ts";
import { openRepository, parseImageReference, type RepositoryOptions } from "./registry/index.ts";

/** How images are read. */
export interface OpenImageOptions extends Omit<RepositoryOptions, "insecure"> {
  /** Returns whether a registry is reached over plain HTTP. Default: never. */
  readonly insecure?: ((registry: string) => boolean) | undefined;
  /** What relative paths are relative to. */
  readonly cwd: string;
}

/** An image that can be read: where it is, and its tag or digest there. */
export interface OpenedImage {
  readonly images: ImageStore;
  readonly reference: string;
}

const DOCKER = "docker://";

/**
 * Opens what a text names: `oci:FOLDER[:NAME]`, `docker-archive:FILE[:NAME]`, a folder with an OCI layout, or an image in a registry, with or without
 * `docker://`. These are the forms of skopeo.
 *
 * @example
 * ```ts
 * import { openImage, resolveImage } from "@pintle/lifecycle";
 *
 * const { images, reference } = await openImage("oci:dist/catalog-image", { cwd: ".", signal: AbortSignal.timeout(60_000) });
 * const { digest, labels } = await resolveImage(images, reference);
 * ```
 */
export async function openImage(text: string, options: OpenImageOptions): Promise<OpenedImage> {
  const local = parseLocalImage(text, options.cwd);
  if (local?.kind === "oci") return { images: openLayout(local.path), reference: local.name ?? "latest" };
  if (local?.kind === "docker-archive") return { images: await openDockerArchive(local.path), reference: local.name ?? "latest" };
  // A path, to which the rules of image references do not apply.
  if (/^\.{0,2}\//.test(text))
    throw new PintleError("PINTLE7070", `${text} is neither a folder with an OCI layout nor an image in a registry`);
  const image = parseImageReference(text.startsWith(DOCKER) ? text.slice(DOCKER.length) : text);
  const { insecure = () => false, ...rest } = options;
  return { images: openRepository(image, { ...rest, insecure: insecure(image.registry) }), reference: image.reference };
}

/** An image in a folder or a file; undefined for one in a registry. */
export function parseLocalImage(
  text: string,
  cwd: string,
): { readonly kind: "oci" | "docker-archive"; readonly path: string; readonly name: string | undefined } | undefined {
  const [, kind, rest] = /^(oci|docker-archive):(.+)$/s.exec(text) ?? [];
  if (kind === undefined || rest === undefined) {
    const isLayout = existsSync(path.resolve(cwd, text, "oci-layout"));
    return isLayout ? { kind: "oci", path: path.resolve(cwd, text), name: undefined } : undefined;
  }
  const colon = rest.indexOf(":", /^[A-Za-z]:[\\/]/.test(rest) ? 2 : 0);
  const [file, name] = colon === -1 ? [rest, undefined] : [rest.slice(0, colon), rest.slice(colon + 1)];
  return { kind: kind as "oci" | "docker-archive", path: path.resolve(cwd, file), name };
}
