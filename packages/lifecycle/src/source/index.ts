/** Where bundles and catalogs come from: folders and images. In: paths and images. Out: bytes and values. */
export { readBundleFolder } from "./bundle-folder.ts";
export { readBundleImage } from "./bundle-image.ts";
export { listCatalogFiles, openCatalogFiles, readChunks, validateCatalogFolder } from "./catalog-folder.ts";
export { CATALOG_LABEL, unpackCatalogImage, withCatalogImage } from "./catalog-image.ts";
export { listCatalogImages } from "./list-images.ts";
export { readCatalogFolder, readCatalogMetas } from "./read-catalog.ts";
export { type RenderableBlob, type RenderReferenceOptions, renderReferences, renderTemplateText } from "./render-references.ts";
