import { PintleError } from "pintle/internal/errors";
import { type Blob, createBlob, isIndex, MEDIA_TYPES } from "./blob.ts";
import type { Image } from "./image.ts";
import type { ImageStore } from "./image-store.ts";
import { parseImageIndex, parseImageManifest } from "./manifests.ts";

/** Indexes of indexes are allowed, but there is a limit. */
const MAX_DEPTH = 3;

/** Reads an image with all its manifests from a store; its blobs are read on demand. */
export async function loadImage(images: ImageStore, reference: string): Promise<Image> {
  const manifests = new Map<string, Blob>();
  const blobs = new Map<string, Blob>();
  const load = async (wanted: string, depth: number): Promise<Blob> => {
    const found = await images.manifest(wanted);
    const known = manifests.get(found.digest);
    if (known !== undefined) return known;
    const where = `${images.name}: ${found.digest}`;
    const blob = createBlob(found.mediaType, Buffer.from(found.text));
    if (isIndex(found.mediaType)) {
      if (depth === MAX_DEPTH) throw new PintleError("PINTLE8030", `${where}: indexes are nested more than ${MAX_DEPTH} times`);
      for (const { digest } of parseImageIndex(found.text, where)) await load(digest, depth + 1);
    } else {
      const { config, layers } = parseImageManifest(found.text, where);
      for (const part of [...layers, { ...config, mediaType: config.mediaType || MEDIA_TYPES.config }]) {
        blobs.set(part.digest, images.blob(part));
      }
    }
    manifests.set(found.digest, blob);
    return blob;
  };
  const root = await load(reference, 0);
  return { blobs: [...blobs.values()], manifests: [...manifests.values()], root };
}
