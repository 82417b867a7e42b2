import { copyFile, mkdir, mkdtemp, open, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { PintleError } from "pintle/internal/errors";
import { quoteGoString } from "pintle/internal/go-format";
import { applyLayers, type ResolvedImage, type UnpackLimits } from "../image/index.ts";

/** The label of catalog images that names the folder with the catalog. */
export const CATALOG_LABEL = "operators.operatorframework.io.index.configs.v1";

/** Far above the catalogs that exist, the largest of which has 144 MB. */
const CATALOG_LIMITS: UnpackLimits = { maxBytes: 4 * 2 ** 30, maxEntries: 500_000 };

/**
 * Writes the catalog in an image to `folder`, which is created. Nothing is written outside of it, whatever the layers say; if the image is refused, or
 * the process is stopped, `folder` does not exist. Layers are read as a stream, so the size of the catalog does not matter.
 *
 * @example
 * ```ts
 * import { openImage, readCatalogFolder, resolveImage, unpackCatalogImage } from "@pintle/lifecycle";
 *
 * const { images, reference } = await openImage("quay.io/example/catalog:v1", { cwd: ".", signal: AbortSignal.timeout(60_000) });
 * await unpackCatalogImage(await resolveImage(images, reference), "catalog");
 * for (const { kind } of readCatalogFolder("catalog")) console.log(kind);
 * ```
 */
export async function unpackCatalogImage(image: ResolvedImage, folder: string, limits: UnpackLimits = CATALOG_LIMITS): Promise<void> {
  const configs = image.labels[CATALOG_LABEL];
  if (configs === undefined) {
    throw new PintleError("PINTLE8033", `catalog image is missing the required label ${quoteGoString(CATALOG_LABEL)}`);
  }
  const parent = path.dirname(path.resolve(folder));
  await mkdir(parent, { recursive: true });
  const scratch = await mkdtemp(path.join(parent, `.${path.basename(folder)}-`));
  try {
    let count = 0;
    const files = await applyLayers(
      image.layers,
      [configs],
      async (content) => {
        const file = path.join(scratch, `content-${count++}`);
        const handle = await open(file, "wx");
        try {
          for await (const chunk of content) await handle.writeFile(chunk);
        } finally {
          await handle.close();
        }
        return file;
      },
      limits,
    );
    const prefix = configs
      .split("/")
      .filter((name) => name !== "" && name !== ".")
      .join("/");
    const unpacked = path.join(scratch, "catalog");
    await mkdir(unpacked);
    const moved = new Map<string, string>();
    for (const [name, content] of files) {
      const target = path.join(unpacked, prefix === "" ? name : name.slice(prefix.length + 1));
      await mkdir(path.dirname(target), { recursive: true });
      const first = moved.get(content);
      if (first === undefined) await rename(content, target);
      else await copyFile(first, target);
      moved.set(content, target);
    }
    await rename(unpacked, folder);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Unpacks the catalog in an image to a temporary folder while `use` runs. */
export async function withCatalogImage<T>(image: ResolvedImage, use: (folder: string) => Promise<T>): Promise<T> {
  const scratch = await mkdtemp(path.join(tmpdir(), "pintle-catalog-"));
  try {
    const folder = path.join(scratch, "catalog");
    await unpackCatalogImage(image, folder);
    return await use(folder);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
