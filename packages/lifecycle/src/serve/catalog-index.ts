/** The parameters of a query. An empty or missing one matches any blob. */
export interface MetaQuery {
  readonly schema?: string | undefined;
  readonly package?: string | undefined;
  readonly name?: string | undefined;
}

/** Part of a file: offset and length in bytes. */
export interface FileSection {
  readonly offset: number;
  readonly length: number;
}

interface IndexedMeta {
  readonly schema: string;
  readonly package: string;
  readonly name: string;
}

type IndexedField = keyof IndexedMeta;
const FIELDS: readonly IndexedField[] = ["schema", "package", "name"];

/** An index as it is stored: per blob the length, and the numbers of schema, package and name in `texts`. Blobs follow each other without a gap. */
interface StoredIndex {
  readonly texts: readonly string[];
  readonly metas: readonly (readonly [length: number, schema: number, pkg: number, name: number])[];
}

/**
 * Where the blobs of a catalog are in its file, by schema, package and name. A query costs what it returns: it reads the shortest of
 * the lists that fit.
 *
 * @example
 * ```ts
 * import { CatalogIndex } from "@pintle/lifecycle";
 *
 * const index = new CatalogIndex();
 * index.add({ schema: "olm.package", package: "", name: "shop" }, 120);
 * console.log(index.find({ schema: "olm.package" })); // [{ offset: 0, length: 120 }]
 * ```
 */
export class CatalogIndex {
  readonly #metas: (IndexedMeta & FileSection)[] = [];
  readonly #lists: Readonly<Record<IndexedField, Map<string, number[]>>> = { schema: new Map(), package: new Map(), name: new Map() };
  #size = 0;

  /** The size of the file. */
  get size(): number {
    return this.#size;
  }

  /** Adds a blob at the end of the file. */
  add(meta: IndexedMeta, length: number): void {
    const { schema, package: packageName, name } = meta;
    const at = this.#metas.push({ schema, package: packageName, name, offset: this.#size, length }) - 1;
    this.#size += length;
    for (const field of FIELDS) {
      if (meta[field] === "") continue;
      const list = this.#lists[field].get(meta[field]);
      if (list === undefined) this.#lists[field].set(meta[field], [at]);
      else list.push(at);
    }
  }

  /** The parts of the file with the blobs that match, in their order; neighbours are joined. Blobs without schema match only a query for everything. */
  find(query: MetaQuery): readonly FileSection[] {
    const requested = FIELDS.filter((field) => query[field] !== undefined && query[field] !== "");
    if (requested.length === 0) return this.#size === 0 ? [] : [{ offset: 0, length: this.#size }];
    const lists = requested.map((field) => this.#lists[field].get(query[field]!) ?? []);
    const shortest = lists.reduce((a, b) => (b.length < a.length ? b : a));
    const sections: { offset: number; length: number }[] = [];
    for (const at of shortest) {
      const meta = this.#metas[at]!;
      if (meta.schema === "" || !requested.every((field) => meta[field] === query[field])) continue;
      const last = sections.at(-1);
      if (last !== undefined && last.offset + last.length === meta.offset) last.length += meta.length;
      else sections.push({ offset: meta.offset, length: meta.length });
    }
    return sections;
  }

  /** The text of the index, for `parse`. */
  format(): string {
    const numbers = new Map<string, number>();
    const numberOf = (text: string) => {
      const known = numbers.get(text);
      if (known !== undefined) return known;
      numbers.set(text, numbers.size);
      return numbers.size - 1;
    };
    const metas = this.#metas.map((meta) => [meta.length, numberOf(meta.schema), numberOf(meta.package), numberOf(meta.name)]);
    return JSON.stringify({ texts: [...numbers.keys()], metas });
  }

  static parse(text: string): CatalogIndex {
    const { texts, metas } = JSON.parse(text) as StoredIndex;
    const index = new CatalogIndex();
    for (const [length, schema, pkg, name] of metas) {
      index.add({ schema: texts[schema]!, package: texts[pkg]!, name: texts[name]! }, length);
    }
    return index;
  }
}
