import type { Blob, Platform } from "./blob.ts";

/** What an operator's layers are put on: one per platform. */
export interface Base {
  readonly platform: Platform;
  readonly layers: readonly Blob[];
  /** Digests of the layers when unpacked. */
  readonly diffIds: readonly string[];
  /** The base's own settings: environment, labels. */
  readonly config: { readonly Env?: readonly string[] | undefined; readonly Labels?: Readonly<Record<string, string>> | undefined };
  /** For people: where it came from, by digest. */
  readonly name: string;
}
