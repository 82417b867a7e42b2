/**
 * Builds OCI images without Docker: the operator's code as layers on a base image. Input: a project and a base image. Output: blobs and
 * manifests, written to a folder or pushed to a registry. Equal inputs produce equal bytes.
 */

export { createBlob, createJsonBlob, formatPlatform, MEDIA_TYPES, toDescriptor } from "./blob.ts";
export { buildImage, type Image } from "./build-image.ts";
export { bundleProgram } from "./bundle-program.ts";
export { renderDockerfile } from "./dockerfile.ts";
export { loadImage } from "./load-image.ts";
export { openLayout, writeLayout } from "./oci-layout.ts";
export { pushImage } from "./push-image.ts";
export { openRepository, parseImageReference } from "./registry/index.ts";
export { resolveBaseImages } from "./resolve-base.ts";
