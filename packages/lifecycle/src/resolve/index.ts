/**
 * Which bundle OLM v1 installs: the resolver.
 *
 * In: blobs of catalogs, and the source of a ClusterExtension. Out: one bundle, or an error with the text of operator-controller. Pure.
 */

export type { BundleRule } from "./bundle-rules.ts";
export { readVersionRelease } from "./bundle-version.ts";
export type { InstalledBundle, ResolutionRequest } from "./request.ts";
export {
  type BundleCandidate,
  ResolutionError,
  type ResolvableCatalog,
  type ResolvedBundle,
  resolveBundle,
} from "./resolve-bundle.ts";
