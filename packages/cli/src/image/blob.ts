import { createHash } from "node:crypto";

/** A blob with its digest. `bytes` fetches the content on demand. */
export interface Blob {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  bytes(): Promise<Uint8Array>;
  /** "registry/repository" that already holds the blob, so that it can be mounted instead of uploaded. */
  readonly mountFrom?: string | undefined;
}

export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly platform?: Platform | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}
export interface Platform {
  readonly os: string;
  readonly architecture: string;
  readonly variant?: string | undefined;
}

export const sha256Digest = (bytes: Uint8Array) => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;

export function createBlob(mediaType: string, bytes: Uint8Array): Blob {
  return { mediaType, digest: sha256Digest(bytes), size: bytes.length, bytes: () => Promise.resolve(bytes) };
}

/** Compact JSON in field order, so that equal values have equal bytes. */
export const createJsonBlob = (mediaType: string, value: unknown) => createBlob(mediaType, Buffer.from(JSON.stringify(value)));

export const toDescriptor = ({ mediaType, digest, size }: Blob): Descriptor => ({ mediaType, digest, size });

export const MEDIA_TYPES = {
  index: "application/vnd.oci.image.index.v1+json",
  manifest: "application/vnd.oci.image.manifest.v1+json",
  config: "application/vnd.oci.image.config.v1+json",
  layer: "application/vnd.oci.image.layer.v1.tar",
  gzipLayer: "application/vnd.oci.image.layer.v1.tar+gzip",
  dockerIndex: "application/vnd.docker.distribution.manifest.list.v2+json",
  dockerManifest: "application/vnd.docker.distribution.manifest.v2+json",
} as const;
export const isIndex = (mediaType: string) => mediaType === MEDIA_TYPES.index || mediaType === MEDIA_TYPES.dockerIndex;

/** Formats a platform as "linux/arm64/v8". */
export const formatPlatform = ({ os, architecture, variant }: Platform) => [os, architecture, variant].filter(Boolean).join("/");
