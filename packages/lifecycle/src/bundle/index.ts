/**
 * Bundles in the registry+v1 format: `manifests/` with a ClusterServiceVersion, CRDs and other objects, and `metadata/`.
 *
 * In: the bytes of files by their path. Out: the bundle as a value. Pure: `source/` reads folders and images.
 */
export { type BundleFiles, readBundle } from "./read-bundle.ts";
export { isNamespacedKind, isSupportedKind } from "./supported-kinds.ts";
export type {
  ClusterServiceVersion,
  InstallMode,
  InstallStrategy,
  NamedObject,
  OwnedDefinition,
  RegistryBundle,
  StrategyPermissions,
  WebhookDefinition,
} from "./types.ts";
