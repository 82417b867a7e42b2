/**
 * Renders an operator as a bundle of Operator Lifecycle Manager (registry+v1). Input: a project, the description of its operator, its samples and
 * its package.json. Output: file contents keyed by path, and the image with these files. Reads only package.json and the icon; equal inputs
 * produce equal bytes.
 */
export { BUNDLE_FOLDER, type BundleContext, renderBundleFiles } from "./bundle-files.ts";
export { buildBundleImage } from "./bundle-image.ts";
export { readPresentation } from "./presentation.ts";
