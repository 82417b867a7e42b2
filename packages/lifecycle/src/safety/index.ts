/**
 * Whether a CRD can be replaced without harm to stored objects and clients, with the rules of crdify as OLM v1 configures them.
 *
 * In: two CRDs. Out: problems with path, rule and text. Pure.
 */
export { type CrdUpgradeProblem, checkCrdUpgrade, formatCrdUpgradeProblems } from "./check-crd-upgrade.ts";
