import { isJsonObject } from "pintle/internal/json";
import { isIndex } from "./blob.ts";
import type { ImageStore } from "./image-store.ts";
import { parseImageIndex, parseImageManifest, parseObject } from "./manifests.ts";

/** Lists the operating systems and architectures of an image: those of its index, or that of its configuration. */
export async function readImagePlatforms(
  images: ImageStore,
  reference: string,
): Promise<readonly { readonly os: string; readonly architecture: string }[]> {
  const { mediaType, text } = await images.manifest(reference);
  const where = `${images.name}: ${reference}`;
  if (isIndex(mediaType)) {
    // Attestations have the platform unknown/unknown.
    const listed = parseImageIndex(text, where).flatMap(({ platform }) => platform ?? []);
    return listed
      .map(({ os = "", architecture = "" }) => ({ os, architecture }))
      .filter((each) => !["", "unknown"].includes(each.os) && !["", "unknown"].includes(each.architecture));
  }
  const { config } = parseImageManifest(text, where);
  const settings = parseObject(Buffer.from(await images.blob(config).bytes()).toString(), `${where}: configuration`);
  const { os, architecture } = isJsonObject(settings) ? settings : {};
  return typeof os === "string" && typeof architecture === "string" ? [{ os, architecture }] : [];
}
