/** `@pintle/lifecycle`: bundles and catalogs of Operator Lifecycle Manager. */
export {
  type BundleFiles,
  type ClusterServiceVersion,
  type InstallMode,
  type InstallStrategy,
  type NamedObject,
  type OwnedDefinition,
  type RegistryBundle,
  readBundle,
  type StrategyPermissions,
  type WebhookDefinition,
} from "./bundle/index.ts";
export type {
  CatalogBundle,
  CatalogChannel,
  CatalogContent,
  CatalogDeprecations,
  CatalogPackage,
  ChannelEntry,
  DeprecationEntry,
  LocatedMeta,
  Meta,
  OtherMeta,
  Property,
} from "./fbc/index.ts";
export { CatalogFileError, CatalogValidator, type DecodedBlob, formatUpgradeGraph, formatUpgradeGraphSvg } from "./fbc/index.ts";
export {
  type Descriptor,
  type ImageStore,
  type OpenedImage,
  type OpenImageOptions,
  openImage,
  type Platform,
  type RegistryLogin,
  type ResolvedImage,
  resolveImage,
  type StoredManifest,
  type UnpackLimits,
} from "./image/index.ts";
export { type BundleRenderOptions, type CertificateProvider, findBundleProblems, renderBundle } from "./render/index.ts";
export {
  type BundleCandidate,
  type BundleRule,
  type InstalledBundle,
  ResolutionError,
  type ResolutionRequest,
  type ResolvableCatalog,
  type ResolvedBundle,
  resolveBundle,
} from "./resolve/index.ts";
export {
  type BreakingChange,
  type CrdUpgradeProblem,
  checkCrdUpgrade,
  checkStoredObjects,
  createStoredObjectReader,
  findBreakingCrdChanges,
  formatCrdUpgradeProblems,
  type ReadStoredObjects,
  type RefusedObject,
  type StoredObjectPage,
  type StoredObjectProblem,
  type StoredObjectsCheck,
  type StoredObjectsReport,
  type UncheckedVersion,
} from "./safety/index.ts";
export { createCycloneDx, createSpdx, type SbomComponent, type SbomInput } from "./sbom/index.ts";
export { runBuiltInTest, type ScorecardResult, type ScorecardState } from "./scorecard/index.ts";
export {
  type CatalogHandlerOptions,
  CatalogIndex,
  CatalogStore,
  createCatalogHandler,
  type FileSection,
  type MetaQuery,
  type OpenCatalog,
} from "./serve/index.ts";
export {
  type Attestation,
  type ImageSubject,
  type ImageVerification,
  readPublicKey,
  readSigningKey,
  type SignImageOptions,
  signImage,
  type VerifyImageOptions,
  verifyImage,
} from "./signing/index.ts";
export {
  readBundleFolder,
  readBundleImage,
  readCatalogFolder,
  readCatalogMetas,
  unpackCatalogImage,
  validateCatalogFolder,
} from "./source/index.ts";
export {
  type BundleFinding,
  type BundleValidationOptions,
  type CrdValidator,
  type ImagePlatform,
  type IndexFile,
  type InspectedImage,
  type LoadedBundle,
  type OptionalValidator,
  selectValidators,
  type ValidatorInputs,
  validateBundleFiles,
} from "./validate/index.ts";
export type { PreRelease, Version, VersionRelease } from "./versions/index.ts";
