import { existsSync } from "node:fs";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { CommandError } from "../command/index.ts";
import { type Descriptor, sha256Digest, toDescriptor } from "./blob.ts";
import type { Image } from "./build-image.ts";
import type { ImageStore } from "./image-store.ts";

const REF_NAME_ANNOTATION = "org.opencontainers.image.ref.name";

/** Writes an image to a folder as an OCI layout. Blobs that exist are not rewritten. */
export async function writeLayout(folder: string, { blobs, manifests, root }: Image, tag: string): Promise<void> {
  await mkdir(path.join(folder, "blobs/sha256"), { recursive: true });
  for (const each of [...blobs, ...manifests]) {
    const file = blobPath(folder, each.digest);
    if (!existsSync(file)) await writeAtomically(file, await each.bytes());
  }
  await writeAtomically(path.join(folder, "oci-layout"), Buffer.from('{"imageLayoutVersion":"1.0.0"}'));
  const entry: Descriptor = { ...toDescriptor(root), annotations: { [REF_NAME_ANNOTATION]: tag } };
  await writeAtomically(path.join(folder, "index.json"), Buffer.from(JSON.stringify({ schemaVersion: 2, manifests: [entry] })));
}

/** Opens an OCI layout as an image store. If it holds a single image, any tag selects it. */
export function openLayout(folder: string): ImageStore {
  const read = async (digest: string) => {
    const bytes = await readFile(blobPath(folder, digest)).catch(() => {
      throw new CommandError("PINTLE7074", `${folder} is an incomplete OCI layout: ${digest} is missing`);
    });
    if (sha256Digest(bytes) !== digest)
      throw new CommandError("PINTLE7075", `${blobPath(folder, digest)} is corrupt: its content does not match its digest`);
    return bytes;
  };
  return {
    // Not the folder's path, so that equal base images produce equal images.
    name: "oci",
    async manifest(reference) {
      const { manifests } = await readIndex(folder);
      const named = manifests.find(({ digest, annotations }) => digest === reference || annotations?.[REF_NAME_ANNOTATION] === reference);
      const found = named ?? (reference.startsWith("sha256:") ? undefined : manifests.length === 1 ? manifests[0] : undefined);
      const digest = found?.digest ?? reference;
      const text = (await read(digest)).toString();
      return { digest, text, mediaType: found?.mediaType ?? (JSON.parse(text) as { mediaType: string }).mediaType };
    },
    blob: (wanted) => ({ ...wanted, bytes: () => read(wanted.digest) }),
  };
}

async function readIndex(folder: string): Promise<{ readonly manifests: readonly Descriptor[] }> {
  try {
    return JSON.parse(await readFile(path.join(folder, "index.json"), "utf8")) as { manifests: Descriptor[] };
  } catch {
    throw new CommandError("PINTLE7074", `${folder} is not an OCI layout: cannot read index.json`);
  }
}

const blobPath = (folder: string, digest: string) => path.join(folder, "blobs/sha256", digest.replace(/^sha256:/, ""));

async function writeAtomically(file: string, bytes: Uint8Array): Promise<void> {
  const fresh = `${file}.new`;
  await writeFile(fresh, bytes);
  await rename(fresh, file);
}
