/**
 * OCI images without a container engine: registries, OCI layouts in folders and archives of Docker; manifests, layers and the files in them.
 *
 * In: references, paths, bytes. Out: blobs with verified digests, and files that cannot leave their folder. What others wrote is bounded: sizes, depth,
 * and what a layer unpacks to.
 */

export { applyLayers, type ContentReader, type ImageFiles, type UnpackLimits } from "./apply-layers.ts";
export {
  type Blob,
  collectBytes,
  createBlob,
  createJsonBlob,
  type Descriptor,
  formatPlatform,
  isIndex,
  MEDIA_TYPES,
  type Platform,
  sha256Digest,
  toDescriptor,
} from "./blob.ts";
export { createTar, type TarEntry } from "./create-tar.ts";
export { openDockerArchive } from "./docker-archive.ts";
export type { Image } from "./image.ts";
export { readImagePlatforms } from "./image-platforms.ts";
export type { ImageStore, StoredManifest } from "./image-store.ts";
export { loadImage } from "./load-image.ts";
export { parseImageIndex, parseImageManifest } from "./manifests.ts";
export { type LayoutWriteOptions, listLayout, openLayout, writeLayout } from "./oci-layout.ts";
export { type OpenedImage, type OpenImageOptions, openImage, parseLocalImage } from "./open-images.ts";
export { type PushResult, pushImage } from "./push-image.ts";
export {
  findRegistryLogin,
  formatImageReference,
  type ImageReference,
  openRepository,
  parseImageReference,
  type RegistryLogin,
  type Repository,
  type RepositoryOptions,
} from "./registry/index.ts";
export { type ResolvedImage, resolveImage } from "./resolve-image.ts";
