import { PintleError } from "pintle/internal/errors";
import type { CatalogBlob } from "../blob-value.ts";
import { type RenderReference, readEntries, type Template } from "./read-template.ts";

/** The entries of the template, where each bundle is only an image that is rendered. */
export async function renderBasicTemplate(template: Template, render: RenderReference): Promise<readonly CatalogBlob[]> {
  const entries = readEntries(template);
  const blobs = entries.filter(({ schema }) => schema !== "olm.bundle");
  for (const { schema, value } of entries) {
    if (schema !== "olm.bundle") continue;
    const image = value["image"];
    const isOnlyImage =
      typeof image === "string" && image !== "" && ["package", "properties", "relatedImages"].every((key) => value[key] === undefined);
    if (!isOnlyImage) throw new PintleError("PINTLE8040", "unexpected fields present in basic template bundle");
    blobs.push(...(await render(image)).filter((blob) => blob.schema === "olm.bundle"));
  }
  return blobs;
}
