import type { BundleFiles } from "../../bundle/index.ts";
import type { CatalogContent, Meta } from "../../fbc/index.ts";

/** Reads images. */
export interface ImageSource {
  /** Reads a catalog. Rejects with the reason if the image cannot be read, or has no catalog. */
  readonly pullCatalog: (reference: string, signal: AbortSignal) => Promise<PulledCatalog>;
  /** Reads the files of a bundle. */
  readonly pullBundle: (reference: string, signal: AbortSignal) => Promise<BundleFiles>;
}

/** A catalog that was read, until it is disposed of. */
export interface PulledCatalog extends AsyncDisposable {
  /** The image with its digest. */
  readonly canonicalReference: string;
  /** When the content was unpacked, in milliseconds since the epoch. */
  readonly unpackedAt: number;
  /** The blobs, one after the other. Throws for one that is not valid. */
  readonly readMetas: () => Iterable<Meta>;
}

/** The content of the catalogs that are served. */
export interface CatalogContents {
  /** Replaces the content of a catalog at once. */
  readonly replace: (name: string, catalog: PulledCatalog) => Promise<void>;
  readonly has: (name: string) => Promise<boolean>;
  readonly remove: (name: string) => Promise<void>;
  /** The URL below which a catalog is served. */
  readonly getBaseUrl: (name: string) => string;
  /** The blobs of one package; undefined if the catalog does not have it. */
  readonly readPackage: (name: string, packageName: string) => Promise<CatalogContent | undefined>;
}
