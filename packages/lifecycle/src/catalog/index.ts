/**
 * Composes catalogs: bundles as blobs, templates, the order and the format in which `opm` writes them.
 *
 * In: blobs, the files of bundles, texts of templates. Out: blobs, and their text. Pure: `source/` reads.
 */
export { type CatalogBlob, propertiesOf, toCatalogBlob } from "./blob-value.ts";
export { type BlobOrder, type CatalogFormat, formatBlob, sortBlobs } from "./format-blob.ts";
export { csvOf, MIGRATION_LEVELS, type MigrationLevel, migrateBundle } from "./migrate-bundle.ts";
export { type BundleImageName, type RenderedBundle, renderBundleBlob } from "./render-bundle-blob.ts";
export { type RenderedTemplate, renderTemplate, TEMPLATE_TYPES } from "./templates/index.ts";
