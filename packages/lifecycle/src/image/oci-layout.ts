import { createReadStream, existsSync } from "node:fs";
import { mkdir, open, readFile, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { PintleError } from "pintle/internal/errors";
import { type Blob, createStreamedBlob, type Descriptor, sha256Digest, toDescriptor } from "./blob.ts";
import type { Image } from "./image.ts";
import type { ImageStore } from "./image-store.ts";
import { isDigest, MAX_MANIFEST_BYTES, parseImageIndex, readMediaType } from "./manifests.ts";

const REF_NAME_ANNOTATION = "org.opencontainers.image.ref.name";
const INDEX_FILE = "index.json";

export interface LayoutWriteOptions {
  /** Keep the other images of the layout. Default: false, the layout then holds this image only. */
  readonly keepOthers?: boolean | undefined;
}

/** Writes an image to a folder as an OCI layout. Blobs that exist are not rewritten. Returns the number of bytes that were written. */
export async function writeLayout(
  folder: string,
  { blobs, manifests, root }: Image,
  tag: string,
  { keepOthers = false }: LayoutWriteOptions = {},
): Promise<number> {
  await mkdir(path.join(folder, "blobs/sha256"), { recursive: true });
  let written = 0;
  for (const each of [...blobs, ...manifests]) {
    const file = blobPath(folder, each.digest);
    if ((await stat(file).catch(() => undefined))?.size === each.size) continue;
    await writeAtomically(file, each.chunks());
    written += each.size;
  }
  await writeText(path.join(folder, "oci-layout"), '{"imageLayoutVersion":"1.0.0"}');
  const entry: Descriptor = { ...toDescriptor(root), annotations: { [REF_NAME_ANNOTATION]: tag } };
  const others = keepOthers && existsSync(path.join(folder, INDEX_FILE)) ? await readIndex(folder) : [];
  const kept = others.filter(({ annotations }) => annotations?.[REF_NAME_ANNOTATION] !== tag);
  await writeText(path.join(folder, INDEX_FILE), JSON.stringify({ schemaVersion: 2, manifests: [...kept, entry] }));
  return written;
}

/** Lists the images of an OCI layout with their names. */
export async function listLayout(folder: string): Promise<readonly { readonly name: string | undefined; readonly digest: string }[]> {
  return (await readIndex(folder)).map(({ digest, annotations }) => ({ name: annotations?.[REF_NAME_ANNOTATION], digest }));
}

/** The tag of what refers to an image: signatures, SBOMs. */
const ATTACHMENT_TAG = /^sha256-[0-9a-f]{64}(\.\w+)?$/;

/** Opens an OCI layout as an image store. If it holds a single image, any tag of an image selects it. */
export function openLayout(folder: string): ImageStore {
  const missing = (digest: string) => new PintleError("PINTLE7074", `${folder} is an incomplete OCI layout: ${digest} is missing`);
  const readManifest = async (digest: string) => {
    if (!isDigest(digest)) throw new PintleError("PINTLE7074", `${folder} has no image ${JSON.stringify(digest.slice(0, 200))}`);
    const file = blobPath(folder, digest);
    const { size } = await stat(file).catch(() => {
      throw missing(digest);
    });
    if (size > MAX_MANIFEST_BYTES) throw new PintleError("PINTLE8030", `${file}: larger than 4 MiB, which no manifest is`);
    const bytes = await readFile(file);
    if (sha256Digest(bytes) !== digest) throw new PintleError("PINTLE7075", `${file} is corrupt: its content does not match its digest`);
    return bytes.toString();
  };
  return {
    // Not the folder's path, so that equal base images produce equal images.
    name: "oci",
    async manifest(reference) {
      const manifests = await readIndex(folder);
      const named = manifests.find(({ digest, annotations }) => digest === reference || annotations?.[REF_NAME_ANNOTATION] === reference);
      const isExact = reference.startsWith("sha256:") || ATTACHMENT_TAG.test(reference);
      const images = manifests.filter(({ annotations }) => !ATTACHMENT_TAG.test(annotations?.[REF_NAME_ANNOTATION] ?? ""));
      const found = named ?? (isExact || images.length !== 1 ? undefined : images[0]);
      const digest = found?.digest ?? reference;
      const text = await readManifest(digest);
      return { digest, text, mediaType: found?.mediaType || readMediaType(text, `${folder}: ${digest}`) };
    },
    blob(wanted): Blob {
      const file = blobPath(folder, wanted.digest);
      return {
        ...wanted,
        ...createStreamedBlob(wanted, file, async function* () {
          if (!existsSync(file)) throw missing(wanted.digest);
          yield* createReadStream(file, { highWaterMark: 1 << 18 });
        }),
      };
    },
  };
}

async function readIndex(folder: string): Promise<readonly Descriptor[]> {
  const text = await readFile(path.join(folder, INDEX_FILE), "utf8").catch(() => {
    throw new PintleError("PINTLE7074", `${folder} is not an OCI layout: cannot read index.json`);
  });
  try {
    return parseImageIndex(text, path.join(folder, INDEX_FILE));
  } catch (error) {
    throw new PintleError("PINTLE7074", `${folder} is not an OCI layout: cannot read index.json: ${(error as Error).message}`);
  }
}

const blobPath = (folder: string, digest: string) => path.join(folder, "blobs/sha256", digest.replace(/^sha256:/, ""));

async function writeText(file: string, text: string): Promise<void> {
  await writeAtomically(
    file,
    (async function* () {
      yield Buffer.from(text);
    })(),
  );
}

/** Writes the content to a file beside, which then takes the place of the file. What is verified only at its end never gets the name of the blob before. */
async function writeAtomically(file: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  const fresh = `${file}.new`;
  try {
    const handle = await open(fresh, "w");
    try {
      for await (const chunk of chunks) await handle.writeFile(chunk);
    } finally {
      await handle.close();
    }
    await rename(fresh, file);
  } catch (error) {
    await rm(fresh, { force: true });
    throw error;
  }
}
