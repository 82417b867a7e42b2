import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { PintleError } from "pintle/internal/errors";
import { type Blob, collectBytes, createJsonBlob, createStreamedBlob, type Descriptor, MEDIA_TYPES, sha256Digest } from "./blob.ts";
import { decompressChunks } from "./decompress.ts";
import type { ImageStore } from "./image-store.ts";
import { isDigest, MAX_CONFIG_BYTES, MAX_MANIFEST_BYTES } from "./manifests.ts";
import { readTar } from "./read-tar.ts";

interface ArchivedImage {
  readonly Config: string;
  readonly RepoTags?: readonly string[] | null;
  readonly Layers: readonly string[];
}

/**
 * Opens an archive as `docker save` and `podman save` write it. Layers are read from the file on demand. Archives hold layers uncompressed and
 * without a manifest of the registry, so the manifest, and with it the digest of the image, is made here.
 */
export async function openDockerArchive(file: string): Promise<ImageStore> {
  const small = new Map<string, Uint8Array>();
  const layers = new Map<string, { readonly size: number; readonly digest: string }>();
  for await (const { path, type, target, size, content } of readTar(readArchive(file))) {
    if (type === "link") {
      // Older versions of Docker write a layer that an image contains twice as a link.
      small.set(path, Buffer.from(target));
    } else if (type === "file" && path.endsWith(".json") && size <= MAX_CONFIG_BYTES) small.set(path, await collectBytes(content));
    else if (type === "file") {
      const hash = createHash("sha256");
      const head: Uint8Array[] = [];
      let headLength = 0;
      for await (const chunk of content) {
        hash.update(chunk);
        if (size <= MAX_CONFIG_BYTES && headLength < MAX_CONFIG_BYTES && !path.endsWith(".tar")) {
          head.push(Buffer.from(chunk));
          headLength += chunk.length;
        }
      }
      // Newer versions name every file by its digest, so a configuration looks like a layer.
      if (head.length > 0 && head[0]![0] === 0x7b) small.set(path, Buffer.concat(head));
      layers.set(path, { size, digest: `sha256:${hash.digest("hex")}` });
    }
  }
  const refuse = (why: string) => new PintleError("PINTLE8030", `${file} is not an archive of docker save: ${why}`);
  const text = small.get("manifest.json");
  if (text === undefined || text.length > MAX_MANIFEST_BYTES) throw refuse("it has no manifest.json");
  let images: readonly ArchivedImage[];
  try {
    const parsed = JSON.parse(Buffer.from(text).toString()) as unknown;
    images = Array.isArray(parsed) ? (parsed as readonly ArchivedImage[]) : [];
  } catch (error) {
    throw refuse(`manifest.json: ${(error as Error).message}`);
  }
  if (images.length === 0) throw refuse("manifest.json lists no image");
  const toManifest = (image: ArchivedImage) => {
    const config = small.get(image.Config);
    if (config === undefined || !Array.isArray(image.Layers)) throw refuse(`the configuration ${JSON.stringify(image.Config)} is missing`);
    const descriptors = image.Layers.map((path): Descriptor => {
      const found = layers.get(path);
      if (found === undefined) throw refuse(`the layer ${JSON.stringify(path)} is missing`);
      return { mediaType: MEDIA_TYPES.layer, ...found };
    });
    const digest = sha256Digest(config);
    return createJsonBlob(MEDIA_TYPES.manifest, {
      schemaVersion: 2,
      mediaType: MEDIA_TYPES.manifest,
      config: { mediaType: MEDIA_TYPES.config, digest, size: config.length },
      layers: descriptors,
    });
  };
  const pathOf = (digest: string) => [...layers].find(([, layer]) => layer.digest === digest)?.[0];
  return {
    name: file,
    async manifest(reference) {
      const found =
        images.find(({ RepoTags }) => RepoTags?.some((tag) => tag === reference || tag.endsWith(`:${reference}`))) ??
        (isDigest(reference)
          ? images.find((image) => toManifest(image).digest === reference)
          : images.length === 1
            ? images[0]
            : undefined);
      if (found === undefined) {
        const known = images.flatMap(({ RepoTags }) => RepoTags ?? []).join(", ");
        throw new PintleError("PINTLE8030", `${file} has no image ${JSON.stringify(reference)}${known === "" ? "" : `; it has ${known}`}`);
      }
      const blob = toManifest(found);
      return { mediaType: blob.mediaType, digest: blob.digest, text: Buffer.from(await blob.bytes()).toString() };
    },
    blob(descriptor): Blob {
      const read = async function* (): AsyncGenerator<Uint8Array> {
        const config = [...small.values()].find((bytes) => sha256Digest(bytes) === descriptor.digest);
        if (config !== undefined) return yield config;
        const path = pathOf(descriptor.digest);
        for await (const entry of readTar(readArchive(file))) if (entry.path === path) return yield* entry.content;
        throw refuse(`${descriptor.digest} is missing`);
      };
      return { ...descriptor, ...createStreamedBlob(descriptor, file, read) };
    },
  };
}

const readArchive = (file: string) => decompressChunks(createReadStream(file, { highWaterMark: 1 << 18 }));
