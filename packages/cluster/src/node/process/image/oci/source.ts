import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import type { Reference } from "../reference.ts";

/** Where the parts of an image are read from. */
export interface ImageSource {
  /** The bytes of a manifest, by tag or digest. */
  manifest(reference: string): Promise<Buffer>;
  blob(digest: string): Promise<Buffer>;
}

const REF = "org.opencontainers.image.ref.name";
const KINDS = [
  "application/vnd.oci.image.index.v1+json",
  "application/vnd.oci.image.manifest.v1+json",
  "application/vnd.docker.distribution.manifest.list.v2+json",
  "application/vnd.docker.distribution.manifest.v2+json",
].join(", ");

/** An OCI layout in a folder: with one image only, any tag will do. */
export function layoutSource(folder: string): ImageSource {
  const blob = async (digest: string) => checked(await readFile(path.join(folder, "blobs", digest.replace(":", "/"))), digest);
  return {
    blob,
    async manifest(reference) {
      if (reference.startsWith("sha256:")) return blob(reference);
      const index = JSON.parse(await readFile(path.join(folder, "index.json"), "utf8")) as {
        readonly manifests: readonly { readonly digest: string; readonly annotations?: Readonly<Record<string, string>> }[];
      };
      const named = index.manifests.find(({ annotations }) => annotations?.[REF] === reference);
      const found = named ?? (index.manifests.length === 1 ? index.manifests[0] : undefined);
      if (found === undefined) throw new Error(`${folder} has no image ${reference}`);
      return blob(found.digest);
    },
  };
}

/** True for registries of this machine, which are asked over plain HTTP. No others are asked. */
export function isLocalRegistry({ name }: Reference): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+)(:\d+)?\//.test(name);
}

export function registrySource({ name }: Reference): ImageSource {
  const slash = name.indexOf("/");
  const base = `http://${name.slice(0, slash)}/v2/${name.slice(slash + 1)}`;
  const get = async (url: string, accept: string) => {
    const response = await fetch(url, { headers: { Accept: accept } });
    if (response.status === 404) throw new Error(`${name}: not found`);
    if (!response.ok) throw new Error(`unexpected status from GET request to ${url}: ${response.status} ${response.statusText}`);
    return Buffer.from(await response.arrayBuffer());
  };
  return {
    manifest: (reference) => get(`${base}/manifests/${reference}`, KINDS),
    blob: async (digest) => checked(await get(`${base}/blobs/${digest}`, "*/*"), digest),
  };
}

export const digestOf = (bytes: Buffer) => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;

function checked(bytes: Buffer, digest: string): Buffer {
  if (digestOf(bytes) !== digest) throw new Error(`${digest} is damaged: its digest is another`);
  return bytes;
}
