/**
 * CustomResourceDefinitions themselves: their defaults and all the rules for them, with the server's texts. In go CRDs
 * as JSON, out come CRDs and field errors.
 */
export { type CrdApproval, crdApproval } from "./approval-rules.ts";
export type { CrdConversion, CrdNames, CrdSpec, CrdVersion, CustomResourceDefinition } from "./crd.ts";
export { isEstablished } from "./crd.ts";
export { crdWarnings } from "./crd-warnings.ts";
export { defaultCrd } from "./default-crd.ts";
export { validateCrd } from "./validate-crd.ts";
