/** A client of the OCI distribution API. Input: image references. Output: manifests and blobs whose digests are verified. */
export type { RegistryLogin } from "./credentials.ts";
export { findRegistryLogin } from "./credentials.ts";
export { formatImageReference, type ImageReference, parseImageReference } from "./reference.ts";
export { openRepository, type Repository, type RepositoryOptions } from "./repository.ts";
