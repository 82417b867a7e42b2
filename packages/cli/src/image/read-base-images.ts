import {
  formatPlatform,
  type ImageStore,
  isIndex,
  type Platform,
  parseImageIndex,
  parseImageManifest,
} from "@pintle/lifecycle/internal/image";
import type { BaseImage } from "./base-image.ts";

interface ImageConfig extends Platform {
  readonly config?: BaseImage["config"];
  readonly rootfs: { readonly diff_ids: readonly string[] };
}

/** Returns a base image for each platform of an image. Manifests of attestations are skipped. */
export async function readBaseImages(images: ImageStore, reference: string): Promise<readonly BaseImage[]> {
  const found = await images.manifest(reference);
  if (!isIndex(found.mediaType)) return [await readBaseImage(images, found)];
  const real = parseImageIndex(found.text, images.name).filter(({ platform }) => platform !== undefined && platform.os !== "unknown");
  return Promise.all(real.map(async ({ digest }) => readBaseImage(images, await images.manifest(digest))));
}

async function readBaseImage(images: ImageStore, { digest, text }: { readonly digest: string; readonly text: string }): Promise<BaseImage> {
  const { config, layers } = parseImageManifest(text, `${images.name}@${digest}`);
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

export function filterByPlatform(bases: readonly BaseImage[], platforms: readonly string[]): readonly BaseImage[] {
  return platforms.length === 0
    ? bases
    : bases.filter(({ platform }) => platforms.some((text) => formatPlatform(platform).startsWith(text)));
}
