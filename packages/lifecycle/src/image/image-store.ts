import type { Blob, Descriptor } from "./blob.ts";

/** A manifest or an index with its exact text. */
export interface StoredManifest {
  readonly mediaType: string;
  readonly digest: string;
  readonly text: string;
}

/** A place with images: a repository of a registry, an OCI layout in a folder, or an archive of Docker. */
export interface ImageStore {
  /** "ghcr.io/me/shop", or "oci" for a folder. */
  readonly name: string;
  /** Returns a manifest or index by tag or digest. */
  manifest(reference: string): Promise<StoredManifest>;
  blob(descriptor: Descriptor): Blob;
}
