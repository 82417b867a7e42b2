/**
 * Renders registry+v1 bundles to the objects that OLM v1 applies to a cluster, field by field as operator-controller does.
 *
 * In: a bundle, the namespace of the operator, and options. Out: objects, or an error with the text of operator-controller. Pure.
 */
export { type BundleRenderOptions, type CertificateProvider, renderBundle } from "./render-bundle.ts";
export { findBundleProblems } from "./validate-bundle.ts";
