import { join } from "node:path";
import { PintleError } from "pintle/internal/errors";
import { CatalogFileError, type DecodedBlob, decodeBlob, type LocatedMeta, MetaReader } from "../fbc/index.ts";
import { listCatalogFiles, readChunks } from "./catalog-folder.ts";

/**
 * Reads the blobs of the catalog in a folder one after the other, so that the size of the catalog does not matter.
 *
 * @example
 * ```ts
 * import { readCatalogFolder } from "@pintle/lifecycle";
 *
 * for (const { kind, blob } of readCatalogFolder("catalog")) if (kind === "package") console.log(blob.name);
 * ```
 */
export function* readCatalogFolder(folder: string): Generator<DecodedBlob> {
  for (const { path, located } of readCatalogMetas(folder)) {
    try {
      yield decodeBlob(located.meta);
    } catch (error) {
      if (error instanceof PintleError) throw new CatalogFileError(path, located.offset, error);
      throw error;
    }
  }
}

/**
 * Reads the blobs of a catalog without decoding them, with the file that each is from. Throws `CatalogFileError` for a file that cannot be parsed.
 *
 * @example
 * ```ts
 * import { readCatalogMetas } from "@pintle/lifecycle";
 *
 * for (const { path, located } of readCatalogMetas("catalog")) console.log(path, located.offset, located.meta.schema);
 * ```
 */
export function* readCatalogMetas(folder: string): Generator<{ readonly path: string; readonly located: LocatedMeta }> {
  for (const path of listCatalogFiles(folder)) {
    const reader = new MetaReader();
    let offset = 0;
    const chunks = readChunks(join(folder, path));
    try {
      for (;;) {
        const { value, done } = chunks.next();
        for (const located of done === true ? reader.end() : reader.push(value)) {
          yield { path, located };
          offset = located.offset + located.length;
        }
        if (done === true) break;
      }
    } catch (error) {
      if (error instanceof PintleError && !(error instanceof CatalogFileError)) throw new CatalogFileError(path, offset, error);
      throw error;
    } finally {
      chunks.return(undefined);
    }
  }
}
