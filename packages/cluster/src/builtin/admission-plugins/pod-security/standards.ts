import * as baseline from "./baseline.ts";
import type { PodSecurityCheck, PodSecuritySubject, PodSecurityViolation } from "./check.ts";
import * as restricted from "./restricted.ts";

export type PodSecurityLevel = "privileged" | "baseline" | "restricted";

const BASELINE_CHECKS: readonly PodSecurityCheck[] = [
  baseline.checkAppArmorProfile,
  baseline.checkCapabilities,
  baseline.checkHostNamespaces,
  baseline.checkHostPathVolumes,
  baseline.checkHostPorts,
  baseline.checkHostProbes,
  baseline.checkPrivileged,
  baseline.checkProcMount,
  baseline.checkSeLinuxOptions,
  baseline.checkSeccompProfile,
  baseline.checkSysctls,
  baseline.checkWindowsHostProcess,
];

/**
 * Splits a check at a version: before it the baseline check applies, from it on the stricter one, which the restricted
 * level reports later in its list.
 */
const splitByVersion = (
  since: number,
  strict: PodSecurityCheck,
  mild: PodSecurityCheck,
): { readonly early: PodSecurityCheck; readonly late: PodSecurityCheck } => ({
  early: (subject) => (subject.version >= since ? undefined : mild(subject)),
  late: (subject) => (subject.version >= since ? strict(subject) : undefined),
});
const capabilities = splitByVersion(22, restricted.checkCapabilities, baseline.checkCapabilities);
const procMount = splitByVersion(35, baseline.checkProcMountForAll, baseline.checkProcMount);
const seccomp = splitByVersion(
  19,
  (subject) => baseline.checkSeccompProfile(subject) ?? restricted.checkSeccompProfile(subject),
  baseline.checkSeccompProfile,
);

const RESTRICTED_CHECKS: readonly PodSecurityCheck[] = [
  baseline.checkAppArmorProfile,
  capabilities.early,
  baseline.checkHostNamespaces,
  baseline.checkHostPorts,
  baseline.checkHostProbes,
  baseline.checkPrivileged,
  procMount.early,
  baseline.checkSeLinuxOptions,
  seccomp.early,
  baseline.checkSysctls,
  baseline.checkWindowsHostProcess,
  restricted.checkAllowPrivilegeEscalation,
  capabilities.late,
  procMount.late,
  restricted.checkRestrictedVolumes,
  restricted.checkRunAsNonRoot,
  restricted.checkRunAsUser,
  seccomp.late,
];

/** Returns all violations of a level. */
export function findViolations(level: PodSecurityLevel, subject: PodSecuritySubject): readonly PodSecurityViolation[] {
  if (level === "privileged") return [];
  const checks = level === "baseline" ? BASELINE_CHECKS : RESTRICTED_CHECKS;
  return checks.flatMap((check) => check(subject) ?? []);
}

export function formatViolations(all: readonly PodSecurityViolation[]): string {
  return all.map(({ reason, detail }) => (detail === "" ? reason : `${reason} (${detail})`)).join(", ");
}
