import type { Base } from "./base.ts";
import { type Blob, type Descriptor, isIndex, type Platform, platformText } from "./blob.ts";

/** Somewhere images are kept: a registry's repository, or a folder. */
export interface Images {
  /** "ghcr.io/me/shop", or the folder. */
  readonly name: string;
  /** A manifest or an index, by tag or digest. */
  manifest(reference: string): Promise<{ readonly mediaType: string; readonly digest: string; readonly text: string }>;
  blob(descriptor: Descriptor): Blob;
}

interface Manifest {
  readonly config: Descriptor;
  readonly layers: readonly Descriptor[];
}
interface ImageConfig extends Platform {
  readonly config?: Base["config"];
  readonly rootfs: { readonly diff_ids: readonly string[] };
}

/** Every platform of an image, as bases; images that are no images (attestations) are left out. */
export async function storedBases(images: Images, reference: string): Promise<readonly Base[]> {
  const found = await images.manifest(reference);
  if (!isIndex(found.mediaType)) return [await one(images, found)];
  const { manifests } = JSON.parse(found.text) as { readonly manifests: readonly Descriptor[] };
  const real = manifests.filter(({ platform }) => platform !== undefined && platform.os !== "unknown");
  return Promise.all(real.map(async ({ digest }) => one(images, await images.manifest(digest))));
}

async function one(images: Images, { digest, text }: { readonly digest: string; readonly text: string }): Promise<Base> {
  const { config, layers } = JSON.parse(text) as Manifest;
  const settings = JSON.parse(Buffer.from(await images.blob(config).bytes()).toString()) as ImageConfig;
  const { os, architecture, variant } = settings;
  return {
    platform: { os, architecture, ...(variant === undefined ? {} : { variant }) },
    layers: layers.map((layer) => images.blob(layer)),
    diffIds: settings.rootfs.diff_ids,
    config: settings.config ?? {},
    name: `${images.name}@${digest}`,
  };
}

export function onPlatforms(bases: readonly Base[], wanted: readonly string[]): readonly Base[] {
  return wanted.length === 0 ? bases : bases.filter(({ platform }) => wanted.some((text) => platformText(platform).startsWith(text)));
}
