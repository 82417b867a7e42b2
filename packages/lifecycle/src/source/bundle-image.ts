import { PintleError } from "pintle/internal/errors";
import type { BundleFiles } from "../bundle/index.ts";
import { applyLayers, collectBytes, type ResolvedImage, type UnpackLimits } from "../image/index.ts";

const FOLDERS = ["manifests", "metadata"];

/** A bundle is kept in memory. Kubernetes stores none of more than 1 MiB; layers may hold more than the bundle. */
const BUNDLE_LIMITS: UnpackLimits = { maxBytes: 256 << 20, maxEntries: 100_000 };

/**
 * Reads the files of a bundle from its image. Throws `PintleError` for what leads out of the image, and for an image that unpacks to more than
 * the limits.
 *
 * @example
 * ```ts
 * import { openImage, readBundle, readBundleImage, resolveImage } from "@pintle/lifecycle";
 *
 * const { images, reference } = await openImage("quay.io/example/shop-bundle:v1", { cwd: ".", signal: AbortSignal.timeout(60_000) });
 * const { packageName } = readBundle(await readBundleImage(await resolveImage(images, reference)));
 * ```
 */
export async function readBundleImage(image: ResolvedImage, limits: UnpackLimits = BUNDLE_LIMITS): Promise<BundleFiles> {
  const read = async (content: AsyncIterable<Uint8Array>) => Buffer.from(await collectBytes(content));
  const files = await applyLayers(image.layers, FOLDERS, read, limits);
  if (files.size === 0) throw new PintleError("PINTLE8033", "the image has neither /manifests nor /metadata: it is not a bundle");
  return files;
}
