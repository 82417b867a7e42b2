import { closeSync, createWriteStream, fstatSync, openSync, read, readFileSync, renameSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { finished } from "node:stream/promises";
import { promisify } from "node:util";
import { PintleError } from "pintle/internal/errors";
import { formatMetaLine, type Meta } from "../fbc/index.ts";
import { CatalogIndex, type FileSection, type MetaQuery } from "./catalog-index.ts";

const CATALOG_FILE = "catalog.jsonl";
const INDEX_FILE = "index.json";
const READ_SIZE = 1 << 18;

/** The content of a catalog at one time. It can be read until it is closed, also after the catalog was replaced or removed. */
export interface OpenCatalog extends Disposable {
  readonly size: number;
  /** Whole seconds, as HTTP has them. */
  readonly modified: Date;
  /** The index, parsed when a query first needs it. */
  index(): CatalogIndex;
  /** Reads parts of the content, in pieces. */
  read(sections: readonly FileSection[]): AsyncGenerator<Uint8Array>;
}

/**
 * Catalogs in a folder: per catalog a file with a blob per line, and an index of it. Content is replaced as a whole, and never held in memory.
 *
 * @example
 * ```ts
 * import { CatalogStore, readCatalogMetas } from "@pintle/lifecycle";
 *
 * const store = new CatalogStore("served");
 * await store.replace("mine", Array.from(readCatalogMetas("catalog"), ({ located }) => located.meta));
 * ```
 */
export class CatalogStore {
  readonly #folder: string;
  /** Of the content that each catalog has now. */
  readonly #indexes = new Map<string, CatalogIndex>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * Stores the blobs of a catalog in place of what it had. Readers see the old content or the new one. If reading the blobs fails, or the process is
   * stopped, the old content stays.
   */
  async replace(
    name: string,
    metas: Iterable<Meta> | AsyncIterable<Meta>,
    { modified }: { readonly modified?: Date | undefined } = {},
  ): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await this.#removeScratch(name);
    const scratch = await mkdtemp(path.join(this.#folder, `.${name}-`));
    try {
      const index = await writeCatalog(path.join(scratch, CATALOG_FILE), metas);
      await writeFile(path.join(scratch, INDEX_FILE), index.format());
      if (modified !== undefined) await utimes(path.join(scratch, CATALOG_FILE), modified, modified);
      this.#swap(scratch, name);
      this.#indexes.set(name, index);
    } finally {
      await this.#removeScratch(name);
    }
  }

  async remove(name: string): Promise<void> {
    this.#indexes.delete(name);
    await rm(this.#path(name), { recursive: true, force: true });
  }

  /** Whether a catalog is stored completely. */
  async has(name: string): Promise<boolean> {
    const found = await Promise.all(
      [CATALOG_FILE, INDEX_FILE].map((file) => stat(path.join(this.#path(name), file)).catch(() => undefined)),
    );
    return found.every((each) => each?.isFile() === true);
  }

  /** The names of the stored catalogs. */
  async names(): Promise<readonly string[]> {
    const entries = await readdir(this.#folder).catch(() => []);
    return entries.filter((entry) => !entry.startsWith(".")).sort();
  }

  /** Opens a catalog; undefined if there is none of this name. */
  open(name: string): OpenCatalog | undefined {
    // Without waiting in between, so that content and index are of the same time.
    const content = openFile(path.join(this.#path(name), CATALOG_FILE));
    if (content === undefined) return undefined;
    const { size, mtimeMs } = fstatSync(content);
    let index = this.#indexes.get(name);
    const indexFile = index === undefined ? openFile(path.join(this.#path(name), INDEX_FILE)) : undefined;
    return {
      size,
      modified: new Date(Math.floor(mtimeMs / 1000) * 1000),
      index: () => {
        index ??= indexFile === undefined ? new CatalogIndex() : CatalogIndex.parse(readFileSync(indexFile, "utf8"));
        if (this.#indexes.get(name) === undefined) this.#indexes.set(name, index);
        return index;
      },
      async *read(sections) {
        for (const { offset, length } of sections) {
          for (let done = 0; done < length; ) {
            const wanted = Math.min(READ_SIZE, length - done);
            const { bytesRead, buffer } = await readAt(content, Buffer.allocUnsafe(wanted), 0, wanted, offset + done);
            if (bytesRead === 0)
              throw new PintleError(
                "PINTLE8034",
                `the stored content of catalog ${name} ends before byte ${offset + done}: store it again`,
              );
            yield buffer.subarray(0, bytesRead);
            done += bytesRead;
          }
        }
      },
      [Symbol.dispose]() {
        closeSync(content);
        if (indexFile !== undefined) closeSync(indexFile);
      },
    };
  }

  #path(name: string): string {
    return path.join(this.#folder, name);
  }

  /** Without waiting in between: no reader finds that there is no content. */
  #swap(scratch: string, name: string): void {
    try {
      renameSync(this.#path(name), `${scratch}-old`);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
    renameSync(scratch, this.#path(name));
  }

  /** Removes what a killed process left. */
  async #removeScratch(name: string): Promise<void> {
    const left = (await readdir(this.#folder)).filter((entry) => entry.startsWith(`.${name}-`));
    for (const entry of left) await rm(path.join(this.#folder, entry), { recursive: true, force: true });
  }
}

const readAt = promisify(read);

function openFile(file: string): number | undefined {
  try {
    return openSync(file, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

async function writeCatalog(file: string, metas: Iterable<Meta> | AsyncIterable<Meta>): Promise<CatalogIndex> {
  const index = new CatalogIndex();
  const output = createWriteStream(file, { highWaterMark: 1 << 20 });
  try {
    for await (const meta of metas) {
      const line = Buffer.from(formatMetaLine(meta.value ?? {}));
      index.add(meta, line.length);
      if (!output.write(line)) await new Promise<void>((resolve, reject) => void output.once("drain", resolve).once("error", reject));
    }
    output.end();
    await finished(output);
    return index;
  } catch (error) {
    output.destroy();
    throw error;
  }
}

export type { FileSection, MetaQuery };
