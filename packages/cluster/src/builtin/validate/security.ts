import type { AppArmorProfile, PodSpec, SeccompProfile, SecurityContext } from "pintle/kinds/core/v1";
import { fieldError } from "../../status/index.ts";
import type { Loose } from "../draft.ts";
import { idProblems } from "../text/names.ts";
import { descendingPath } from "./paths.ts";
import { invalidFor, maybeOneOf, type Problems } from "./problems.ts";

const PROFILES = ["Localhost", "RuntimeDefault", "Unconfined"];

function* id(field: string, value: number | null | undefined): Problems {
  if (value != null) yield* invalidFor(field, value, idProblems(value));
}

export function* containerSecurity(field: string, context: Loose<SecurityContext> | null | undefined, hostUsers: boolean): Problems {
  if (!context) return;
  yield* id(`${field}.runAsUser`, context.runAsUser);
  yield* id(`${field}.runAsGroup`, context.runAsGroup);
  if (context.procMount != null) {
    yield* maybeOneOf(`${field}.procMount`, context.procMount, ["Default", "Unmasked"]);
    if (hostUsers && context.procMount === "Unmasked") {
      yield fieldError.invalid(`${field}.procMount`, context.procMount, "`hostUsers` must be false to use `Unmasked`");
    }
  }
  yield* seccomp(`${field}.seccompProfile`, context.seccompProfile);
  if (context.allowPrivilegeEscalation === false) {
    if (context.privileged) {
      yield fieldError.invalid(field, context, "cannot set `allowPrivilegeEscalation` to false and `privileged` to true");
    }
    if (context.capabilities?.add?.includes("CAP_SYS_ADMIN")) {
      const why = "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN";
      yield fieldError.invalid(field, context, why);
    }
  }
  yield* appArmor(`${field}.appArmorProfile`, context.appArmorProfile);
}

export function* podSecurity(field: string, { securityContext, shareProcessNamespace, hostPID }: Loose<PodSpec>): Problems {
  const context = securityContext ?? {};
  yield* id(`${field}.fsGroup`, context.fsGroup);
  yield* id(`${field}.runAsUser`, context.runAsUser);
  yield* id(`${field}.runAsGroup`, context.runAsGroup);
  for (const [i, group] of (context.supplementalGroups ?? []).entries()) yield* id(`${field}.supplementalGroups[${i}]`, group);
  if (shareProcessNamespace && hostPID) {
    yield fieldError.invalid(`${field}.shareProcessNamespace`, true, "ShareProcessNamespace and HostPID cannot both be enabled");
  }
  yield* sysctls(`${field}.sysctls`, context.sysctls);
  yield* maybeOneOf(`${field}.fsGroupChangePolicy`, context.fsGroupChangePolicy, ["Always", "OnRootMismatch"]);
  yield* seccomp(`${field}.seccompProfile`, context.seccompProfile);
  yield* appArmor(`${field}.appArmorProfile`, context.appArmorProfile);
  yield* maybeOneOf(`${field}.supplementalGroupsPolicy`, context.supplementalGroupsPolicy, ["Merge", "Strict"]);
}

const SYSCTL = "([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?";

function* sysctls(field: string, all: readonly Loose<{ readonly name: string }>[] | null | undefined): Problems {
  const names = new Set<string>();
  for (const [i, { name = "" }] of (all ?? []).entries()) {
    const at = `${field}[${i}].name`;
    if (!name) yield fieldError.required(at);
    else if (name.length > 253 || !new RegExp(`^${SYSCTL}$`).test(name)) {
      yield fieldError.invalid(at, name, `must have at most 253 characters and match regex ^${SYSCTL}$`);
    } else if (names.has(name)) yield fieldError.duplicate(at, name);
    names.add(name ?? "");
  }
}

function* seccomp(field: string, profile: Loose<SeccompProfile> | null | undefined): Problems {
  if (!profile) return;
  const { type, localhostProfile } = profile;
  if (!type) yield fieldError.required(`${field}.type`, "type is required when seccompProfile is set");
  else if (!PROFILES.includes(type)) yield fieldError.notSupported(`${field}.type`, type, PROFILES);
  if (type === "Localhost") {
    if (localhostProfile == null) yield fieldError.required(`${field}.localhostProfile`, "must be set when seccomp type is Localhost");
    else yield* descendingPath(`${field}.localhostProfile`, localhostProfile);
  } else if (localhostProfile != null) {
    yield fieldError.invalid(`${field}.localhostProfile`, { type, localhostProfile }, "can only be set when seccomp type is Localhost");
  }
}

function* appArmor(field: string, profile: Loose<AppArmorProfile> | null | undefined): Problems {
  if (!profile) return;
  const { type, localhostProfile } = profile;
  const at = `${field}.localhostProfile`;
  if (!type) yield fieldError.required(`${field}.type`, "type is required when appArmorProfile is set");
  else if (!PROFILES.includes(type)) yield fieldError.notSupported(`${field}.type`, type, PROFILES);
  else if (type === "Localhost") {
    if (!localhostProfile) yield fieldError.required(at, "must be set when AppArmor type is Localhost");
  } else if (localhostProfile != null) yield fieldError.invalid(at, localhostProfile, "can only be set when AppArmor type is Localhost");
}
