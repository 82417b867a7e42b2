import { type CatalogContent, type DecodedBlob, decodeBlob, type Meta, MetaReader } from "../../fbc/index.ts";
import type { CatalogStore } from "../../serve/index.ts";
import type { CatalogContents } from "./sources.ts";

type MutableContent = { -readonly [K in keyof CatalogContent]: CatalogContent[K][number][] };

/** Keeps the content of catalogs in memory, by package. For small catalogs. */
export function createMemoryContents(baseUrl: string): CatalogContents {
  const catalogs = new Map<string, readonly Meta[]>();
  return {
    async replace(name, catalog) {
      catalogs.set(name, [...catalog.readMetas()]);
    },
    has: async (name) => catalogs.has(name),
    async remove(name) {
      catalogs.delete(name);
    },
    getBaseUrl: (name) => `${baseUrl}/catalogs/${name}`,
    readPackage: async (name, packageName) => decodePackage(catalogs.get(name) ?? [], packageName),
  };
}

/**
 * Keeps the content of catalogs in a store that is served at `baseUrl`.
 *
 * @example
 * ```ts
 * import { CatalogStore } from "@pintle/lifecycle";
 * import { createStoredContents } from "@pintle/lifecycle/manager";
 *
 * export const contents = createStoredContents(new CatalogStore("served"), "http://127.0.0.1:8083");
 * ```
 */
export function createStoredContents(store: CatalogStore, baseUrl: string): CatalogContents {
  return {
    replace: (name, catalog) => store.replace(name, catalog.readMetas(), { modified: new Date(catalog.unpackedAt) }),
    has: (name) => store.has(name),
    remove: (name) => store.remove(name),
    getBaseUrl: (name) => `${baseUrl}/catalogs/${name}`,
    async readPackage(name, packageName) {
      using content = store.open(name);
      if (content === undefined) return undefined;
      const index = content.index();
      const reader = new MetaReader();
      const metas: Meta[] = [];
      // The blob of the package itself is not in a package.
      const sections = [...index.find({ schema: "olm.package", name: packageName }), ...index.find({ package: packageName })];
      for await (const chunk of content.read(sections)) for (const { meta } of reader.push(Buffer.from(chunk))) metas.push(meta);
      for (const { meta } of reader.end()) metas.push(meta);
      return decodePackage(metas, packageName);
    },
  };
}

function decodePackage(metas: readonly Meta[], packageName: string): CatalogContent | undefined {
  const own = metas.filter(({ schema, package: of, name }) => of === packageName || (schema === "olm.package" && name === packageName));
  if (own.length === 0) return undefined;
  const content: MutableContent = { packages: [], channels: [], bundles: [], deprecations: [], others: [] };
  for (const meta of own) addBlob(content, decodeBlob(meta));
  return content;
}

function addBlob(content: MutableContent, { kind, blob }: DecodedBlob): void {
  if (kind === "package") content.packages.push(blob);
  else if (kind === "channel") content.channels.push(blob);
  else if (kind === "bundle") content.bundles.push(blob);
  else if (kind === "deprecations") content.deprecations.push(blob);
  else content.others.push(blob);
}
