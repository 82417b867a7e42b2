import type { Blob, Platform } from "@pintle/lifecycle/internal/image";

/** A base image for one platform, onto which the operator's layers are stacked. */
export interface BaseImage {
  readonly platform: Platform;
  readonly layers: readonly Blob[];
  /** Digests of the uncompressed layers. */
  readonly diffIds: readonly string[];
  /** Environment and labels of the base image. */
  readonly config: { readonly Env?: readonly string[] | undefined; readonly Labels?: Readonly<Record<string, string>> | undefined };
  /** Origin of the base image, with its digest; recorded in a label. */
  readonly name: string;
}
