import type { KeyObject } from "node:crypto";
import type { BundleFiles } from "../../bundle/index.ts";
import type { CatalogContent, Meta } from "../../fbc/index.ts";

/** Reads images. */
export interface ImageSource {
  /** Reads a catalog. Rejects with the reason if the image cannot be read, or has no catalog. */
  readonly pullCatalog: (reference: string, signal: AbortSignal) => Promise<PulledCatalog>;
  /** Reads the files of a bundle. */
  readonly pullBundle: (reference: string, signal: AbortSignal) => Promise<BundleFiles>;
  /** Verifies the signatures of an image. Default: policies that demand signatures accept no image. */
  readonly verifyImage?: (reference: string, trust: TrustedSigners, signal: AbortSignal) => Promise<VerifiedImage>;
  /** Reads a bundle from a folder of this machine. Default: policies cannot name folders. */
  readonly readFolder?: (folder: string) => Promise<BundleFiles>;
}

/** The keys and identities whose signatures are accepted. */
export interface TrustedSigners {
  readonly keys: readonly KeyObject[];
  readonly identities: readonly { readonly issuer: string; readonly subject: string }[];
}

/** The result of verifying an image. */
export interface VerifiedImage {
  /** The image by its digest. */
  readonly reference: string;
  readonly isSigned: boolean;
  /** Whether a bill of materials is signed. */
  readonly hasSbom: boolean;
  /** Why signatures were not accepted. */
  readonly reasons: readonly string[];
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
