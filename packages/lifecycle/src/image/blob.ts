import { createHash } from "node:crypto";
import { PintleError } from "pintle/internal/errors";

/** A blob with its digest. Its content is fetched on demand. */
export interface Blob {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  bytes(): Promise<Uint8Array>;
  /** The content in pieces, for blobs of any size. Fails at its end if the content does not match the digest. */
  chunks(): AsyncIterable<Uint8Array>;
  /** "registry/repository" that already holds the blob, so that it can be mounted instead of uploaded. */
  readonly mountFrom?: string | undefined;
}

/** A reference to a blob or a manifest, as manifests contain it. */
export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly platform?: Platform | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly artifactType?: string | undefined;
}

/** What an image runs on. */
export interface Platform {
  readonly os: string;
  readonly architecture: string;
  readonly variant?: string | undefined;
}

export const sha256Digest = (bytes: Uint8Array) => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;

export function createBlob(mediaType: string, bytes: Uint8Array): Blob {
  return {
    mediaType,
    digest: sha256Digest(bytes),
    size: bytes.length,
    bytes: () => Promise.resolve(bytes),
    async *chunks() {
      yield bytes;
    },
  };
}

/** Returns a blob whose content `open` reads. Every reader gets verified content. */
export function createStreamedBlob({ mediaType, digest, size }: Descriptor, where: string, open: () => AsyncIterable<Uint8Array>): Blob {
  const chunks = () => verifyChunks(open(), { digest, size }, where);
  return { mediaType, digest, size, chunks, bytes: () => collectBytes(chunks()) };
}

/** Passes chunks through; throws if they are more than the descriptor says, and at the end if their digest is another one. */
async function* verifyChunks(
  chunks: AsyncIterable<Uint8Array>,
  { digest, size }: Pick<Descriptor, "digest" | "size">,
  where: string,
): AsyncGenerator<Uint8Array> {
  const hash = createHash("sha256");
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > size) throw new PintleError("PINTLE7075", `${where}: ${digest} is longer than the ${size} bytes that the manifest says`);
    hash.update(chunk);
    yield chunk;
  }
  const found = `sha256:${hash.digest("hex")}`;
  if (found !== digest) throw new PintleError("PINTLE7075", `${where}: the content of ${digest} does not match its digest`);
}

/** Reads all chunks into memory. */
export async function collectBytes(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
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
  zstdLayer: "application/vnd.oci.image.layer.v1.tar+zstd",
  dockerIndex: "application/vnd.docker.distribution.manifest.list.v2+json",
  dockerManifest: "application/vnd.docker.distribution.manifest.v2+json",
  dockerConfig: "application/vnd.docker.container.image.v1+json",
} as const;
export const isIndex = (mediaType: string) => mediaType === MEDIA_TYPES.index || mediaType === MEDIA_TYPES.dockerIndex;

/** Formats a platform as "linux/arm64/v8". */
export const formatPlatform = ({ os, architecture, variant }: Platform) => [os, architecture, variant].filter(Boolean).join("/");
