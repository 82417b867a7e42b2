import path from "node:path";
import { runInBackground } from "pintle/internal/errors";
import type { Container } from "pintle/kinds/core/v1";
import { findProgram, getSearchPath } from "./image-command.ts";
import { formatImageReference, parseImageReference } from "./image-reference.ts";
import { findImageEntry, type ImageEntry, type ImageTable } from "./image-table.ts";
import { createLayoutSource, createRegistrySource, isLocalRegistry } from "./oci/image-source.ts";
import { type PulledImage, pullImage } from "./oci/pull-image.ts";

/** An image that is present on this machine. */
export interface LocalImage {
  readonly entry: ImageEntry;
  readonly id: string;
  /** The unpacked root file system, if the image is not only a program of this machine. */
  readonly rootfs?: string | undefined;
  /** Set if the image was pulled just now. `took` is in milliseconds. */
  readonly pull?: { readonly bytes: number; readonly took: number } | undefined;
}

/** Why an image is not available: the waiting reason of its container. */
export class ImagePullError extends Error {
  readonly reason: "ErrImagePull" | "ErrImageNeverPull";
  constructor(reason: ImagePullError["reason"], message: string) {
    super(message);
    this.reason = reason;
  }
}

export interface ImageManager {
  /** Returns whether `ensureImageExists` will pull the image. */
  requiresPull(container: Container): boolean;
  ensureImageExists(container: Container): Promise<LocalImage>;
}

export interface ImageManagerOptions {
  readonly table: ImageTable;
  /** The folder for unpacked images. */
  readonly folder: string;
  readonly mayChown: boolean;
}

/**
 * Creates the image manager. It knows the images of the table, which are programs of this machine, OCI layouts, and registries on loopback
 * addresses.
 */
export function createImageManager({ table, folder, mayChown }: ImageManagerOptions): ImageManager {
  const search = getSearchPath();
  const pulled = new Map<string, Promise<PulledImage>>();
  const isOci = (image: string) => findImageEntry(table, image)?.layout !== undefined || isLocalRegistry(parseImageReference(image));
  const needsFetch = ({ image = "", imagePullPolicy }: Container) => imagePullPolicy === "Always" || (isOci(image) && !pulled.has(image));

  const fromTable = ({ image = "", imagePullPolicy }: Container, entry: ImageEntry): LocalImage => {
    const [command] = entry.command ?? [];
    const program = command === undefined ? undefined : findProgram(command, entry, search);
    if (command !== undefined && program === undefined)
      throw pullError(image, `its program ${command} is not installed on this machine: install it, or set another in the image table`);
    const pull = imagePullPolicy === "Always" ? { pull: { bytes: 0, took: 0 } } : {};
    return { entry, id: `process://${program ?? parseImageReference(image).name}`, ...pull };
  };
  const fromOci = async (container: Container, tableEntry: ImageEntry | undefined): Promise<LocalImage> => {
    const { image = "", imagePullPolicy } = container;
    const fetch = needsFetch(container);
    if (fetch && imagePullPolicy === "Never") throw neverPullError(image);
    const ref = parseImageReference(image);
    const startedAt = performance.now();
    if (fetch) {
      const source = tableEntry?.layout === undefined ? createRegistrySource(ref) : createLayoutSource(path.resolve(tableEntry.layout));
      const pulling = pullImage(source, ref.digest ?? ref.tag, folder, mayChown);
      pulled.set(image, pulling);
      runInBackground(pulling, () => pulled.delete(image));
    }
    try {
      const { entry, rootfs, digest, bytes } = await pulled.get(image)!;
      const pull = fetch ? { pull: { bytes, took: Math.round(performance.now() - startedAt) } } : {};
      return {
        entry: { ...entry, ...tableEntry, env: { ...entry.env, ...tableEntry?.env } },
        rootfs,
        id: `${ref.name}@${digest}`,
        ...pull,
      };
    } catch (error) {
      throw pullError(image, error instanceof Error ? error.message : String(error));
    }
  };
  return {
    requiresPull: (container) =>
      needsFetch(container) || (findImageEntry(table, container.image ?? "") === undefined && !isOci(container.image ?? "")),
    async ensureImageExists(container) {
      const { image = "", imagePullPolicy } = container;
      const entry = findImageEntry(table, image);
      if (isOci(image)) return fromOci(container, entry);
      if (entry !== undefined) return fromTable(container, entry);
      if (imagePullPolicy === "Never") throw neverPullError(image);
      const full = formatImageReference(parseImageReference(image));
      throw pullError(image, `failed to resolve image: ${full}: not found: the image table of this node has no such image`);
    },
  };
}

const neverPullError = (image: string) =>
  new ImagePullError("ErrImageNeverPull", `Container image "${image}" is not present with pull policy of Never`);
const pullError = (image: string, why: string) =>
  new ImagePullError("ErrImagePull", `failed to pull and unpack image "${formatImageReference(parseImageReference(image))}": ${why}`);
