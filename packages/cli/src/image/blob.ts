import { createHash } from "node:crypto";

/** Bytes that know their name. Big ones are fetched when they are needed. */
export interface Blob {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  bytes(): Promise<Uint8Array>;
  /** "registry/repository" that holds it already. */
  readonly from?: string | undefined;
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

export const digestOf = (bytes: Uint8Array) => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;

export function blob(mediaType: string, bytes: Uint8Array): Blob {
  return { mediaType, digest: digestOf(bytes), size: bytes.length, bytes: () => Promise.resolve(bytes) };
}

/** Compact, and in the order of its fields: the same value is the same bytes. */
export const jsonBlob = (mediaType: string, value: unknown) => blob(mediaType, Buffer.from(JSON.stringify(value)));

export const descriptor = ({ mediaType, digest, size }: Blob): Descriptor => ({ mediaType, digest, size });

export const MEDIA = {
  index: "application/vnd.oci.image.index.v1+json",
  manifest: "application/vnd.oci.image.manifest.v1+json",
  config: "application/vnd.oci.image.config.v1+json",
  layer: "application/vnd.oci.image.layer.v1.tar",
  gzipLayer: "application/vnd.oci.image.layer.v1.tar+gzip",
  dockerIndex: "application/vnd.docker.distribution.manifest.list.v2+json",
  dockerManifest: "application/vnd.docker.distribution.manifest.v2+json",
} as const;
export const isIndex = (mediaType: string) => mediaType === MEDIA.index || mediaType === MEDIA.dockerIndex;

/** "linux/arm64/v8" */
export const platformText = ({ os, architecture, variant }: Platform) => [os, architecture, variant].filter(Boolean).join("/");
