import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import type { ImageReference } from "../image-reference.ts";

/** Reads manifests and blobs of an image. */
export interface ImageSource {
  /** Returns the bytes of a manifest, by tag or digest; the digest is verified. */
  manifest(reference: string): Promise<Buffer>;
  /** Returns the bytes of a blob, whose digest and size are verified. */
  blob(reference: BlobReference): Promise<Buffer>;
}

export interface BlobReference {
  readonly digest: string;
  /** In bytes, if it is known. */
  readonly size?: number | undefined;
}

const MAX_MANIFEST_BYTES = 4 * 1024 ** 2;
const MAX_BLOB_BYTES = 2 * 1024 ** 3;

const REF_NAME_ANNOTATION = "org.opencontainers.image.ref.name";
const MANIFEST_MEDIA_TYPES = [
  "application/vnd.oci.image.index.v1+json",
  "application/vnd.oci.image.manifest.v1+json",
  "application/vnd.docker.distribution.manifest.list.v2+json",
  "application/vnd.docker.distribution.manifest.v2+json",
].join(", ");

/** Creates a source for an OCI layout in a folder. If it holds a single image, any tag matches. */
export function createLayoutSource(folder: string): ImageSource {
  const blob = async ({ digest, size }: BlobReference) =>
    verifyBlob(await readFile(path.join(folder, "blobs", requireDigest(digest).replace(":", "/"))), { digest, size });
  return {
    blob,
    async manifest(reference) {
      if (reference.includes(":")) return blob({ digest: reference });
      const index = JSON.parse(await readFile(path.join(folder, "index.json"), "utf8")) as {
        readonly manifests: readonly { readonly digest: string; readonly annotations?: Readonly<Record<string, string>> }[];
      };
      const named = index.manifests.find(({ annotations }) => annotations?.[REF_NAME_ANNOTATION] === reference);
      const found = named ?? (index.manifests.length === 1 ? index.manifests[0] : undefined);
      if (found === undefined) throw new Error(`${folder} has no image ${reference}`);
      return blob({ digest: found.digest });
    },
  };
}

/** Returns whether a registry is on this machine. Only such registries are used, over plain HTTP. */
export function isLocalRegistry({ name }: ImageReference): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+)(:\d+)?\//.test(name);
}

export function createRegistrySource({ name }: ImageReference): ImageSource {
  const slash = name.indexOf("/");
  const base = `http://${name.slice(0, slash)}/v2/${name.slice(slash + 1)}`;
  const get = async (url: string, accept: string, maxBytes: number) => {
    // A registry of this machine must not lead the node to other hosts.
    const response = await fetch(url, { headers: { Accept: accept }, redirect: "error" });
    if (response.status === 404) throw new Error(`${name}: not found`);
    if (!response.ok) throw new Error(`unexpected status from GET request to ${url}: ${response.status} ${response.statusText}`);
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of response.body ?? []) {
      length += chunk.length;
      if (length > maxBytes) throw new Error(`the response to GET ${url} is larger than ${maxBytes} bytes`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  };
  return {
    async manifest(reference) {
      const isDigest = reference.includes(":");
      const bytes = await get(
        `${base}/manifests/${isDigest ? requireDigest(reference) : reference}`,
        MANIFEST_MEDIA_TYPES,
        MAX_MANIFEST_BYTES,
      );
      return isDigest ? verifyBlob(bytes, { digest: reference }) : bytes;
    },
    async blob({ digest, size }) {
      const bytes = await get(`${base}/blobs/${requireDigest(digest)}`, "*/*", Math.min(size ?? MAX_BLOB_BYTES, MAX_BLOB_BYTES));
      return verifyBlob(bytes, { digest, size });
    },
  };
}

export const computeDigest = (bytes: Buffer) => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;

/** Returns the digest, which becomes part of a path: only SHA-256 is supported. */
function requireDigest(digest: string): string {
  if (!/^sha256:[0-9a-f]{64}$/.test(digest)) throw new Error(`invalid digest ${JSON.stringify(digest)}: only sha256 is supported`);
  return digest;
}

function verifyBlob(bytes: Buffer, { digest, size }: BlobReference): Buffer {
  if (size !== undefined && bytes.length !== size) throw new Error(`${digest} is corrupt: it has ${bytes.length} bytes instead of ${size}`);
  if (computeDigest(bytes) !== digest) throw new Error(`${digest} is corrupt: its content has another digest`);
  return bytes;
}
