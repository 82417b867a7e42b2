import { existsSync } from "node:fs";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { CommandError } from "../command.ts";
import { type Descriptor, descriptor, digestOf } from "./blob.ts";
import type { Image } from "./image.ts";
import type { Images } from "./stored-base.ts";

const REF = "org.opencontainers.image.ref.name";

/** Writes an image into a folder as an OCI layout; what is there already by its digest stays. */
export async function writeLayout(folder: string, { blobs, manifests, root }: Image, tag: string): Promise<void> {
  await mkdir(path.join(folder, "blobs/sha256"), { recursive: true });
  for (const each of [...blobs, ...manifests]) {
    const file = fileOf(folder, each.digest);
    if (!existsSync(file)) await whole(file, await each.bytes());
  }
  await whole(path.join(folder, "oci-layout"), Buffer.from('{"imageLayoutVersion":"1.0.0"}'));
  const entry: Descriptor = { ...descriptor(root), annotations: { [REF]: tag } };
  await whole(path.join(folder, "index.json"), Buffer.from(JSON.stringify({ schemaVersion: 2, manifests: [entry] })));
}

/** An OCI layout in a folder. A reference is a tag or a digest; with one image only, any tag will do. */
export function layoutImages(folder: string): Images {
  const read = async (digest: string) => {
    const bytes = await readFile(fileOf(folder, digest)).catch(() => {
      throw new CommandError(`pintle: ${folder} has no ${digest}: it is not a whole OCI layout`);
    });
    if (digestOf(bytes) !== digest) throw new CommandError(`pintle: ${fileOf(folder, digest)} is damaged: its digest is another`);
    return bytes;
  };
  return {
    // Not the folder: the same base is the same image wherever it lies.
    name: "oci",
    async manifest(reference) {
      const { manifests } = await indexOf(folder);
      const named = manifests.find(({ digest, annotations }) => digest === reference || annotations?.[REF] === reference);
      const found = named ?? (reference.startsWith("sha256:") ? undefined : manifests.length === 1 ? manifests[0] : undefined);
      const digest = found?.digest ?? reference;
      const text = (await read(digest)).toString();
      return { digest, text, mediaType: found?.mediaType ?? (JSON.parse(text) as { mediaType: string }).mediaType };
    },
    blob: (wanted) => ({ ...wanted, bytes: () => read(wanted.digest) }),
  };
}

async function indexOf(folder: string): Promise<{ readonly manifests: readonly Descriptor[] }> {
  try {
    return JSON.parse(await readFile(path.join(folder, "index.json"), "utf8")) as { manifests: Descriptor[] };
  } catch {
    throw new CommandError(`pintle: ${folder} is not an OCI layout: it has no index.json that can be read`);
  }
}

const fileOf = (folder: string, digest: string) => path.join(folder, "blobs/sha256", digest.replace(/^sha256:/, ""));

async function whole(file: string, bytes: Uint8Array): Promise<void> {
  const fresh = `${file}.new`;
  await writeFile(fresh, bytes);
  await rename(fresh, file);
}
