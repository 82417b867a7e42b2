/**
 * Software bills of materials of images, as SPDX 2.3 and CycloneDX 1.6. In: the image and its components. Out: documents. Equal inputs produce equal
 * documents. Pure.
 */
export { imagePurl, npmPurl, type SbomComponent, type SbomInput } from "./component.ts";
export { createCycloneDx } from "./cyclonedx.ts";
export { createSpdx } from "./spdx.ts";
