/**
 * File-based catalogs: their blobs, how files of JSON and YAML are read into blobs, and validation as `opm validate` does it.
 *
 * In: bytes of files, in chunks. Out: blobs with their place in the file, and errors with the texts of operator-registry. Pure: `source/` walks
 * folders.
 */
export { type DecodedBlob, decodeBlob, type Meta, readMeta } from "./blobs.ts";
export { CatalogFileError, CatalogValidator, validateBlobs } from "./catalog-validator.ts";
export { encodeGoMap, formatMetaLine } from "./format-meta.ts";
export { type IgnorePattern, isIgnored, parseIgnoreFile } from "./ignore-patterns.ts";
export { findReferenceProblem } from "./image-reference.ts";
export { type CatalogFiles, type CatalogProblem, listCatalogProblems } from "./list-problems.ts";
export { type LocatedMeta, MetaReader } from "./meta-reader.ts";
export type {
  CatalogBundle,
  CatalogChannel,
  CatalogContent,
  CatalogDeprecations,
  CatalogPackage,
  ChannelEntry,
  DeprecationEntry,
  OtherMeta,
  Property,
} from "./types.ts";
export { formatUpgradeGraph } from "./upgrade-graph.ts";
export { formatUpgradeGraphSvg } from "./upgrade-graph-svg.ts";
