/**
 * Defaulting and validation of CustomResourceDefinitions with the error texts of kube-apiserver. Takes CRDs as JSON;
 * returns defaulted CRDs, field errors and warnings.
 */
export { type ApiApprovalState, getApiApproval } from "./api-approval.ts";
export { validateWebhookUrl } from "./conversion-validation.ts";
export type { CrdConversion, CrdNames, CrdSpec, CrdVersion, CustomResourceDefinition } from "./crd.ts";
export { isEstablished } from "./crd.ts";
export { defaultCrd } from "./default-crd.ts";
export { getCrdWarnings, validateCrd } from "./validate-crd.ts";
