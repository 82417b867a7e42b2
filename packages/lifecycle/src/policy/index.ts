/**
 * The decisions of extension policies that need no cluster: when a window is open, which rights objects need, and what a new revision changes.
 *
 * In: objects, times. Out: rules, differences. Pure.
 */
export { parseDuration } from "./duration.ts";
export { findNextOpening, isWindowOpen, type MaintenanceWindow, parseWindow } from "./maintenance-window.ts";
export {
  deriveInstallerRules,
  findMissingRules,
  formatRight,
  formatRules,
  listOperatorRights,
  type PluralOf,
  type PolicyRule,
  type ScopedRule,
  subtractRights,
} from "./rights.ts";
export { listWorkloadImages, listWorkloads, WORKLOAD_KINDS } from "./workloads.ts";
