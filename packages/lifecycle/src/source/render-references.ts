import { closeSync, openSync, readdirSync, readFileSync, readSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { PintleError } from "pintle/internal/errors";
import { isJsonObject, type Json } from "pintle/internal/json";
import {
  type BlobOrder,
  type BundleImageName,
  type CatalogBlob,
  type MigrationLevel,
  migrateBundle,
  propertiesOf,
  renderBundleBlob,
  renderTemplate,
  sortBlobs,
  toCatalogBlob,
} from "../catalog/index.ts";
import { MetaReader } from "../fbc/index.ts";
import { type OpenImageOptions, openImage, parseLocalImage, resolveImage } from "../image/index.ts";
import { readBundleFolder } from "./bundle-folder.ts";
import { readBundleImage } from "./bundle-image.ts";
import { CATALOG_LABEL, withCatalogImage } from "./catalog-image.ts";
import { readCatalogMetas } from "./read-catalog.ts";

const BUNDLE_LABEL = "operators.operatorframework.io.bundle.package.v1";
const DATABASE_LABEL = "operators.operatorframework.io.index.database.v1";

export interface RenderReferenceOptions extends OpenImageOptions {
  /** How far bundles are migrated. Default: "none". */
  readonly migrate?: MigrationLevel | undefined;
  /** Names the image of a bundle in a folder, where it is not known. Default: no name. */
  readonly imageName?: Exclude<BundleImageName, string> | undefined;
}

/** A blob that is read when it is needed, so that a catalog of any size can be put in order. */
export interface RenderableBlob extends BlobOrder {
  load(): CatalogBlob;
}

/**
 * Renders references as `opm render` does: folders with a catalog or a bundle, images of either, and templates in files. `use` gets the blobs in
 * the order in which they are written; images are unpacked to a temporary folder while it runs.
 */
export async function renderReferences<T>(
  references: readonly string[],
  options: RenderReferenceOptions,
  use: (blobs: readonly RenderableBlob[]) => Promise<T>,
): Promise<T> {
  const [reference, ...rest] = references;
  if (reference === undefined) return use([]);
  return withReference(reference, options, (blobs) =>
    renderReferences(rest, options, (others) => use(sortBlobs([...blobs.map((blob) => normalize(blob, options)), ...others]))),
  ).catch((error: unknown) => {
    if (!(error instanceof PintleError) || error.message.startsWith("render reference ")) throw error;
    throw new PintleError(error.code, `render reference ${JSON.stringify(reference)}: ${error.message}`, { cause: error });
  });
}

async function withReference<T>(
  reference: string,
  options: RenderReferenceOptions,
  use: (blobs: readonly RenderableBlob[]) => Promise<T>,
): Promise<T> {
  const path = resolve(options.cwd, reference);
  const found = parseLocalImage(reference, options.cwd) === undefined ? statSync(path, { throwIfNoEntry: false }) : undefined;
  if (found?.isDirectory() === true) return use(isBundleFolder(path) ? [bundleFromFolder(path, options)] : listFolder(path));
  if (found !== undefined) return use((await renderFile(path, options)).map(toRenderable));
  const { images, reference: tag } = await openImage(reference, options);
  const image = await resolveImage(images, tag);
  if (image.labels[CATALOG_LABEL] !== undefined) return withCatalogImage(image, (folder) => use(listFolder(folder)));
  if (image.labels[BUNDLE_LABEL] !== undefined) {
    const isLocal = parseLocalImage(reference, options.cwd) !== undefined;
    const name = isLocal ? (options.imageName ?? "") : reference.replace(/^docker:\/\//, "");
    return use([toRenderable(renderBundleBlob(await readBundleImage(image), name).blob)]);
  }
  if (image.labels[DATABASE_LABEL] !== undefined) {
    throw new PintleError("PINTLE8041", "the catalog is an SQLite database, which OLM v1 does not read: convert it with opm migrate");
  }
  const labels = Object.entries(image.labels)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `  ${key}=${value}`);
  const why = labels.length === 0 ? "image has no labels" : `found labels\n${labels.join("\n")}`;
  throw new PintleError(
    "PINTLE8041",
    `render ${JSON.stringify(reference)}: image type could not be determined${labels.length === 0 ? ":" : ","} ${why}`,
  );
}

/** Renders a template from its text; bundles that it names are read from images and folders. */
export async function renderTemplateText(
  text: string,
  options: RenderReferenceOptions,
  type?: Parameters<typeof renderTemplate>[2],
): Promise<readonly CatalogBlob[]> {
  const render = (reference: string) =>
    withReference(reference, options, (blobs) => Promise.resolve(blobs.map((blob) => normalize(blob, options).load())));
  return sortBlobs((await renderTemplate(text, render, type)).blobs);
}

async function renderFile(path: string, options: RenderReferenceOptions): Promise<readonly CatalogBlob[]> {
  const head = readHead(path);
  if (head.startsWith("SQLite format 3")) {
    throw new PintleError("PINTLE8041", `${path} is an SQLite database, which OLM v1 does not read: convert it with opm migrate`);
  }
  return renderTemplateText(readFileSync(path, "utf8"), options);
}

function isBundleFolder(folder: string): boolean {
  const folders = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return ["manifests", "metadata"].every((name) => folders.some((entry) => entry.name === name));
}

function bundleFromFolder(folder: string, { imageName }: RenderReferenceOptions): RenderableBlob {
  return toRenderable(renderBundleBlob(readBundleFolder(folder), imageName ?? "").blob);
}

const toRenderable = (blob: CatalogBlob): RenderableBlob => ({ ...blob, load: () => blob });

/** The blobs of a catalog by their place in its files. Each is decoded once here, so that a catalog that cannot be read is refused before anything is written. */
function listFolder(folder: string): RenderableBlob[] {
  return Array.from(readCatalogMetas(folder), ({ path, located }) => {
    const { schema, package: packageName, name } = toCatalogBlob(located.meta);
    const { offset, length } = located;
    return { schema, package: packageName, name, load: () => readBlobAt(join(folder, path), offset, length) };
  });
}

function readBlobAt(file: string, offset: number, length: number): CatalogBlob {
  const bytes = Buffer.alloc(length);
  const descriptor = openSync(file, "r");
  try {
    for (let done = 0; done < length; ) {
      const read = readSync(descriptor, bytes, done, length - done, offset + done);
      if (read === 0) throw new PintleError("PINTLE8011", `${file} changed while it was read`);
      done += read;
    }
  } finally {
    closeSync(descriptor);
  }
  const reader = new MetaReader();
  const [located] = [...reader.push(bytes), ...reader.end()];
  if (located === undefined) throw new PintleError("PINTLE8011", `${file} changed while it was read`);
  return toCatalogBlob(located.meta);
}

/** What `opm render` does to every bundle: manifests come last, images are sorted; then the migration. */
function normalize(blob: RenderableBlob, { migrate = "none" }: RenderReferenceOptions): RenderableBlob {
  if (blob.schema !== "olm.bundle") return blob;
  return {
    ...blob,
    load: () => {
      const loaded = blob.load();
      const properties = propertiesOf(loaded);
      const isLast = ({ type }: { readonly type: string }) => type === "olm.bundle.object" || type === "olm.csv.metadata";
      const related = loaded.value["relatedImages"];
      const value = {
        ...loaded.value,
        ...(properties.length === 0 ? {} : { properties: [...properties.filter((each) => !isLast(each)), ...properties.filter(isLast)] }),
        ...(Array.isArray(related) ? { relatedImages: [...(related as readonly Json[])].sort(compareImages) } : {}),
      };
      return migrateBundle({ ...loaded, value }, migrate);
    },
  };
}

function compareImages(a: Json, b: Json): number {
  const imageOf = (value: Json) => (isJsonObject(value) ? String(value["image"]) : "");
  return Buffer.compare(Buffer.from(imageOf(a)), Buffer.from(imageOf(b)));
}

function readHead(path: string): string {
  const bytes = Buffer.alloc(16);
  const descriptor = openSync(path, "r");
  try {
    return bytes.toString("latin1", 0, readSync(descriptor, bytes, 0, bytes.length, 0));
  } finally {
    closeSync(descriptor);
  }
}
