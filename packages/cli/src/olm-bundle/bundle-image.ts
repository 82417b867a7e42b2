import { buildScratchImage, type Image } from "../image/index.ts";
import { BUNDLE_FOLDER } from "./bundle-files.ts";

/** Builds the image of a bundle: its files in one layer, and its annotations as labels. */
export function buildBundleImage(files: ReadonlyMap<string, string>, labels: Readonly<Record<string, string>>): Image {
  const entries = [...files].map(([file, text]) => ({ path: file.slice(BUNDLE_FOLDER.length + 1), mode: 0o644, data: Buffer.from(text) }));
  return buildScratchImage(entries, labels);
}
