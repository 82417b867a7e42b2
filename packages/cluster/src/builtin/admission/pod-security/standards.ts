import * as baseline from "./baseline.ts";
import type { Check, Subject, Violation } from "./check.ts";
import * as restricted from "./restricted.ts";

export type Level = "privileged" | "baseline" | "restricted";

const BASELINE: readonly Check[] = [
  baseline.appArmorProfile,
  baseline.capabilities,
  baseline.hostNamespaces,
  baseline.hostPathVolumes,
  baseline.hostPorts,
  baseline.hostProbes,
  baseline.privileged,
  baseline.procMount,
  baseline.seLinuxOptions,
  baseline.seccompProfile,
  baseline.sysctls,
  baseline.windowsHostProcess,
];

/** A restricted pod meets what the baseline asks for, some of it in a stricter form. */
const stricter = (since: number, strict: Check, mild: Check): { readonly early: Check; readonly late: Check } => ({
  early: (subject) => (subject.version >= since ? undefined : mild(subject)),
  late: (subject) => (subject.version >= since ? strict(subject) : undefined),
});
const capabilities = stricter(22, restricted.capabilities, baseline.capabilities);
const procMount = stricter(35, baseline.anyProcMount, baseline.procMount);
const seccomp = stricter(19, (subject) => baseline.seccompProfile(subject) ?? restricted.seccompProfile(subject), baseline.seccompProfile);

const RESTRICTED: readonly Check[] = [
  baseline.appArmorProfile,
  capabilities.early,
  baseline.hostNamespaces,
  baseline.hostPorts,
  baseline.hostProbes,
  baseline.privileged,
  procMount.early,
  baseline.seLinuxOptions,
  seccomp.early,
  baseline.sysctls,
  baseline.windowsHostProcess,
  restricted.allowPrivilegeEscalation,
  capabilities.late,
  procMount.late,
  restricted.restrictedVolumes,
  restricted.runAsNonRoot,
  restricted.runAsUser,
  seccomp.late,
];

/** Everything about a pod that a level does not allow. */
export function violations(level: Level, subject: Subject): readonly Violation[] {
  if (level === "privileged") return [];
  const checks = level === "baseline" ? BASELINE : RESTRICTED;
  return checks.flatMap((check) => check(subject) ?? []);
}

export function violationsText(all: readonly Violation[]): string {
  return all.map(({ reason, detail }) => (detail === "" ? reason : `${reason} (${detail})`)).join(", ");
}
