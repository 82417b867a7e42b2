/**
 * Serves catalogs with the HTTP API of catalogd.
 *
 * In: the blobs of catalogs, requests. Out: responses. Content is in files with an index by offset: no catalog is held in memory, and a query costs what
 * it returns.
 */
export { type CatalogHandlerOptions, createCatalogHandler } from "./catalog-handler.ts";
export { CatalogIndex, type FileSection, type MetaQuery } from "./catalog-index.ts";
export { CatalogStore, type OpenCatalog } from "./catalog-store.ts";
