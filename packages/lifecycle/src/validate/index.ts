/**
 * Checks of registry+v1 bundles with the verdicts and texts of operator-sdk's `bundle validate`: its default validators and those that are
 * selected by label, such as `suite=operatorframework`.
 *
 * In: the bytes of files by their path. Out: errors and warnings. Pure: the check of CRDs is passed in, because it is the API server's.
 */

export { findFormatProblems } from "./bundle-format.ts";
export type { IndexFile } from "./community.ts";
export type { BundleFinding } from "./finding.ts";
export { type LoadedBundle, loadBundleManifests } from "./load-manifests.ts";
export { type ImagePlatform, type InspectedImage, listInspectedImages } from "./multiarch.ts";
export { OPTIONAL_VALIDATORS, type OptionalValidator, selectValidators, type ValidatorInputs } from "./optional-validators.ts";
export { type BundleValidationOptions, type CrdValidator, runDefaultValidators, validateBundleFiles } from "./validate-bundle-files.ts";
