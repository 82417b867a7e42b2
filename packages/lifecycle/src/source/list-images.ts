import { readCatalogFolder } from "./read-catalog.ts";

/** The images that the bundles of a catalog name: their own, and those that their operators run. In the order of their names. */
export function listCatalogImages(folder: string, packages?: readonly string[]): string[] {
  const images = new Set<string>();
  for (const { kind, blob } of readCatalogFolder(folder)) {
    if (kind !== "bundle" || (packages !== undefined && !packages.includes(blob.package))) continue;
    for (const image of [blob.image, ...(blob.relatedImages ?? []).map((related) => related.image)]) if (image) images.add(image);
  }
  return [...images].sort();
}
