/**
 * Images without Docker: an operator's code as OCI layers on a base. In come a project and the name of a base; out go
 * blobs and manifests that are the same bytes for the same inputs, into a folder or a registry.
 */
export { bases } from "./bases.ts";
export { blob, descriptor, jsonBlob, MEDIA, platformText } from "./blob.ts";
export { dockerfile } from "./dockerfile.ts";
export { type Image, image } from "./image.ts";
export { layoutImages, writeLayout } from "./layout.ts";
export { program } from "./program.ts";
export { push } from "./push.ts";
export { parseReference, repository } from "./registry/index.ts";
export { loadImage } from "./stored-image.ts";
