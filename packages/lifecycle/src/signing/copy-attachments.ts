import { createJsonBlob, type Descriptor, type Image, type ImageStore, loadImage, MEDIA_TYPES } from "../image/index.ts";
import { attachmentTag, findManifest, findReferrers, readFallback } from "./attachments.ts";

/** The tags beside an image under which cosign keeps signatures, attestations and SBOMs. */
const COSIGN_SUFFIXES = [".sig", ".att", ".sbom"];
/** A signature of an SBOM is a referrer of a referrer; what is deeper is no evidence about the image. */
const MAX_DEPTH = 3;

/** Where attachments are copied to: the place of the image. */
export interface AttachmentTarget {
  readonly images: ImageStore;
  /** Writes an image under a tag or its digest, and returns the number of bytes. */
  write(image: Image, reference: string): Promise<number>;
  /** Whether the place lists what refers to an image by itself. If not, a tag does. */
  listsReferrers(digest: string): Promise<boolean>;
}

/** What was copied. */
export interface CopiedAttachments {
  readonly count: number;
  readonly bytes: number;
}

/**
 * Copies what refers to images: signatures, SBOMs and attestations, from the referrers API or its tags, and from the tags of cosign. The digests are
 * those of the images and of their platforms.
 */
export async function copyAttachments(
  from: ImageStore,
  digests: readonly string[],
  target: AttachmentTarget,
  depth = 0,
): Promise<CopiedAttachments> {
  let [count, bytes] = [0, 0];
  for (const digest of digests) {
    const referrers = await findReferrers(from, digest);
    if (referrers.length > 0) {
      count += referrers.length;
      bytes += await copyReferrers(from, digest, referrers, target);
      if (depth < MAX_DEPTH) {
        const further = referrers.map((each) => each.digest);
        const more = await copyAttachments(from, further, target, depth + 1);
        count += more.count;
        bytes += more.bytes;
      }
    }
    for (const suffix of COSIGN_SUFFIXES) {
      const tag = attachmentTag(digest, suffix);
      if ((await findManifest(from, tag)) === undefined) continue;
      count++;
      bytes += await target.write(await loadImage(from, tag), tag);
    }
  }
  return { count, bytes };
}

async function copyReferrers(
  from: ImageStore,
  digest: string,
  referrers: readonly Descriptor[],
  target: AttachmentTarget,
): Promise<number> {
  const loaded = await Promise.all(referrers.map((each) => loadImage(from, each.digest)));
  if (await target.listsReferrers(digest)) {
    let bytes = 0;
    for (const image of loaded) bytes += await target.write(image, image.root.digest);
    return bytes;
  }
  // What others attached there stays listed.
  const listed = (await readFallback(target.images, digest)) ?? [];
  const manifests = [...listed.filter((each) => referrers.every((other) => other.digest !== each.digest)), ...referrers];
  const index = createJsonBlob(MEDIA_TYPES.index, { schemaVersion: 2, mediaType: MEDIA_TYPES.index, manifests });
  const all = {
    blobs: loaded.flatMap((image) => image.blobs),
    manifests: [...loaded.flatMap((image) => image.manifests), index],
    root: index,
  };
  return target.write(all, attachmentTag(digest));
}
