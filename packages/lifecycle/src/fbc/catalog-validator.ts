import { PintleError } from "pintle/internal/errors";
import { decodeBlob, type Meta } from "./blobs.ts";
import { CatalogModelBuilder } from "./catalog-model.ts";
import { MetaReader } from "./meta-reader.ts";
import { validateModel } from "./validate-model.ts";

/**
 * Validates a catalog from the bytes of its files, with the verdict and the texts of `opm validate`. The size of the files does not matter: of
 * each bundle only a summary is kept.
 *
 * @example
 * ```ts
 * import { CatalogValidator } from "@pintle/lifecycle";
 *
 * const validator = new CatalogValidator();
 * validator.addFile("catalog.yaml", [Buffer.from("schema: olm.package\nname: memcached\ndefaultChannel: stable\n")]);
 * validator.finish();
 * ```
 */
export class CatalogValidator {
  readonly #model = new CatalogModelBuilder();

  /** Reads a file from chunks of any size. Throws `PintleError` with the file and the offset if a blob cannot be read. */
  addFile(path: string, chunks: Iterable<Buffer>): void {
    const reader = new MetaReader();
    let offset = 0;
    const add = (metas: Iterable<ReturnType<MetaReader["push"]> extends Generator<infer T> ? T : never>) => {
      for (const { meta, offset: at, length } of metas) {
        offset = at;
        this.#model.add(decodeBlob(meta));
        offset = at + length;
      }
    };
    try {
      for (const chunk of chunks) add(reader.push(chunk));
      add(reader.end());
    } catch (error) {
      if (!(error instanceof PintleError)) throw error;
      throw new CatalogFileError(path, offset, error);
    }
  }

  /** Checks the whole catalog. Throws `PintleError` with the text of `opm validate`. */
  finish(): void {
    validateModel(this.#model.build());
  }
}

/**
 * A file of a catalog with a blob that cannot be read. `reason` is the text of operator-registry.
 *
 * @example
 * ```ts
 * import { CatalogFileError, CatalogValidator } from "@pintle/lifecycle";
 *
 * try {
 *   new CatalogValidator().addFile("catalog.json", [Buffer.from("{}")]);
 * } catch (error) {
 *   if (error instanceof CatalogFileError) console.error(`${error.path} at byte ${error.offset}: ${error.reason}`);
 * }
 * ```
 */
export class CatalogFileError extends PintleError {
  override readonly name = "CatalogFileError";
  readonly path: string;
  /** Of the blob, in bytes from the start of the file. */
  readonly offset: number;
  readonly reason: string;

  constructor(path: string, offset: number, cause: PintleError) {
    super(cause.code, `${path}: blob at byte ${offset}: ${cause.message}`, { cause });
    this.path = path;
    this.offset = offset;
    this.reason = cause.message;
  }
}

/** Validates the blobs of a catalog. Throws `PintleError` with the text of `opm validate`. */
export function validateBlobs(metas: Iterable<Meta>): void {
  const model = new CatalogModelBuilder();
  for (const meta of metas) model.add(decodeBlob(meta));
  validateModel(model.build());
}
