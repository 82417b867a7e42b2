import { PintleError } from "pintle/internal/errors";
import { isJsonObject, type Json } from "pintle/internal/json";
import { type Blob, formatPlatform, isIndex, type Platform } from "./blob.ts";
import type { ImageStore } from "./image-store.ts";
import { MAX_CONFIG_BYTES, parseImageIndex, parseImageManifest, parseObject } from "./manifests.ts";

/** An image for one platform, whose layers can be read. */
export interface ResolvedImage {
  /** What the reference pointed to: the digest of the index if there is one, else of the manifest. It identifies the image. */
  readonly digest: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly layers: readonly Blob[];
}

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: "amd64" };

/** The platform whose image is taken from an index: that of this machine, with Linux. */
export const defaultPlatform = (): Platform => ({ os: "linux", architecture: ARCHITECTURES[process.arch] ?? process.arch });

/**
 * Reads manifest and configuration of an image. Of an index, the image for `platform` is taken,  or else the first one: catalogs run nowhere.
 *
 * @example
 * ```ts
 * import { openImage, resolveImage } from "@pintle/lifecycle";
 *
 * const { images, reference } = await openImage("quay.io/example/catalog:v1", { cwd: ".", signal: AbortSignal.timeout(60_000) });
 * const { digest, labels } = await resolveImage(images, reference);
 * ```
 */
export async function resolveImage(images: ImageStore, reference: string, platform: Platform = defaultPlatform()): Promise<ResolvedImage> {
  const root = await images.manifest(reference);
  const where = `${images.name}: ${reference}`;
  let found = root;
  for (let depth = 0; isIndex(found.mediaType); depth++) {
    const all = parseImageIndex(found.text, where).filter((each) => each.platform?.os !== "unknown");
    const wanted = all.find((each) => each.platform !== undefined && formatPlatform(each.platform).startsWith(formatPlatform(platform)));
    const chosen = wanted ?? all[0];
    if (chosen === undefined || depth > 2) throw new PintleError("PINTLE8030", `${where}: the index has no image`);
    found = await images.manifest(chosen.digest);
  }
  const { config, layers } = parseImageManifest(found.text, where);
  if (config.size > MAX_CONFIG_BYTES) throw new PintleError("PINTLE8030", `${where}: the configuration has ${config.size} bytes`);
  const settings = parseObject(Buffer.from(await images.blob(config).bytes()).toString(), `${where}: configuration`)["config"];
  const labels = settings !== undefined && isJsonObject(settings) ? settings["Labels"] : undefined;
  return { digest: root.digest, labels: toStrings(labels), layers: layers.map((layer) => images.blob(layer)) };
}

function toStrings(labels: Json | undefined): Readonly<Record<string, string>> {
  if (labels === undefined || !isJsonObject(labels)) return {};
  return Object.fromEntries(Object.entries(labels).filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}
