import { type Blob, createBlob, type Descriptor, isIndex, MEDIA_TYPES } from "./blob.ts";
import type { Image } from "./build-image.ts";
import type { ImageStore } from "./image-store.ts";

/** Reads an image with all its manifests and blobs from a store. */
export async function loadImage(images: ImageStore, reference: string): Promise<Image> {
  const found = await images.manifest(reference);
  const root = createBlob(found.mediaType, Buffer.from(found.text));
  const children = isIndex(found.mediaType) ? (JSON.parse(found.text) as { manifests: readonly Descriptor[] }).manifests : [];
  const manifests = await Promise.all(
    children.map(async ({ digest, mediaType }) => createBlob(mediaType, Buffer.from((await images.manifest(digest)).text))),
  );
  const platformManifests = children.length === 0 ? [root] : manifests;
  const blobs: Blob[] = [];
  for (const leaf of platformManifests) {
    const { config, layers } = JSON.parse(Buffer.from(await leaf.bytes()).toString()) as {
      config: Descriptor;
      layers: readonly Descriptor[];
    };
    for (const part of [...layers, { ...config, mediaType: config.mediaType ?? MEDIA_TYPES.config }]) blobs.push(images.blob(part));
  }
  return { blobs: [...new Map(blobs.map((each) => [each.digest, each])).values()], manifests: [...manifests, root], root };
}
