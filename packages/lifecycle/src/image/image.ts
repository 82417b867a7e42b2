import type { Blob } from "./blob.ts";

/** An OCI image: its blobs, and its manifests in an order in which each one comes after the manifests it references. */
export interface Image {
  readonly blobs: readonly Blob[];
  readonly manifests: readonly Blob[];
  /** The last manifest, which a tag points to. */
  readonly root: Blob;
}
