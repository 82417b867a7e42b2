/** A client of the OCI distribution API. Input: image references. Output: manifests and blobs whose digests are verified. */
export { type ImageReference, parseImageReference } from "./reference.ts";
export { openRepository, type Repository } from "./repository.ts";
