/**
 * Builds OCI images without Docker: the operator's code as layers on a base image. Input: a project and a base image. Output: blobs and
 * manifests, written to a folder or pushed to a registry. Equal inputs produce equal bytes.
 */

export {
  createBlob,
  createJsonBlob,
  formatPlatform,
  type Image,
  type ImageReference,
  loadImage,
  MEDIA_TYPES,
  openLayout,
  openRepository,
  pushImage,
  type Repository,
  toDescriptor,
  writeLayout,
} from "@pintle/lifecycle/internal/image";
export type { BaseImage } from "./base-image.ts";
export { buildImage, buildScratchImage } from "./build-image.ts";
export { type BundledPackage, bundleProgram } from "./bundle-program.ts";
export { renderDockerfile } from "./dockerfile.ts";
export { parseImageReference } from "./parse-image-argument.ts";
export { resolveBaseImages } from "./resolve-base.ts";
