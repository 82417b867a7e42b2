import { type Blob, blob, type Descriptor, isIndex, MEDIA } from "./blob.ts";
import type { Image } from "./image.ts";
import type { Images } from "./stored-base.ts";

/** An image that was built before, with everything it consists of. */
export async function loadImage(images: Images, reference: string): Promise<Image> {
  const found = await images.manifest(reference);
  const root = blob(found.mediaType, Buffer.from(found.text));
  const inner = isIndex(found.mediaType) ? (JSON.parse(found.text) as { manifests: readonly Descriptor[] }).manifests : [];
  const manifests = await Promise.all(
    inner.map(async ({ digest, mediaType }) => blob(mediaType, Buffer.from((await images.manifest(digest)).text))),
  );
  const leaves = inner.length === 0 ? [root] : manifests;
  const blobs: Blob[] = [];
  for (const leaf of leaves) {
    const { config, layers } = JSON.parse(Buffer.from(await leaf.bytes()).toString()) as {
      config: Descriptor;
      layers: readonly Descriptor[];
    };
    for (const part of [...layers, { ...config, mediaType: config.mediaType ?? MEDIA.config }]) blobs.push(images.blob(part));
  }
  return { blobs: [...new Map(blobs.map((each) => [each.digest, each])).values()], manifests: [...manifests, root], root };
}
