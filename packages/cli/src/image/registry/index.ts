/** Registries: where images come from and go to. In come references; out go manifests and blobs, checked by digest. */
export { parseReference, type Reference } from "./reference.ts";
export { type Repository, repository } from "./registry.ts";
