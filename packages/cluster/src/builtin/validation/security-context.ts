import type { AppArmorProfile, PodSpec, SeccompProfile, SecurityContext } from "pintle/kinds/core/v1";
import { fieldError } from "../../status/index.ts";
import type { Unvalidated } from "../draft.ts";
import { validateRelativePath } from "./file-paths.ts";
import { validateUserOrGroupId } from "./names.ts";
import { createInvalidErrors, type FieldErrors, validateEnum } from "./validators.ts";

const PROFILE_TYPES = ["Localhost", "RuntimeDefault", "Unconfined"];

function* validateId(field: string, value: number | null | undefined): FieldErrors {
  if (value != null) yield* createInvalidErrors(field, value, validateUserOrGroupId(value));
}

export function* validateContainerSecurityContext(
  field: string,
  context: Unvalidated<SecurityContext> | null | undefined,
  hostUsers: boolean,
): FieldErrors {
  if (!context) return;
  yield* validateId(`${field}.runAsUser`, context.runAsUser);
  yield* validateId(`${field}.runAsGroup`, context.runAsGroup);
  if (context.procMount != null) {
    yield* validateEnum(`${field}.procMount`, context.procMount, ["Default", "Unmasked"]);
    if (hostUsers && context.procMount === "Unmasked") {
      yield fieldError.invalid(`${field}.procMount`, context.procMount, "`hostUsers` must be false to use `Unmasked`");
    }
  }
  yield* validateSeccompProfile(`${field}.seccompProfile`, context.seccompProfile);
  if (context.allowPrivilegeEscalation === false) {
    if (context.privileged) {
      yield fieldError.invalid(field, context, "cannot set `allowPrivilegeEscalation` to false and `privileged` to true");
    }
    if (context.capabilities?.add?.includes("CAP_SYS_ADMIN")) {
      const why = "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN";
      yield fieldError.invalid(field, context, why);
    }
  }
  yield* validateAppArmorProfile(`${field}.appArmorProfile`, context.appArmorProfile);
}

export function* validatePodSecurityContext(
  field: string,
  { securityContext, shareProcessNamespace, hostPID }: Unvalidated<PodSpec>,
): FieldErrors {
  const context = securityContext ?? {};
  yield* validateId(`${field}.fsGroup`, context.fsGroup);
  yield* validateId(`${field}.runAsUser`, context.runAsUser);
  yield* validateId(`${field}.runAsGroup`, context.runAsGroup);
  for (const [i, group] of (context.supplementalGroups ?? []).entries()) yield* validateId(`${field}.supplementalGroups[${i}]`, group);
  if (shareProcessNamespace && hostPID) {
    yield fieldError.invalid(`${field}.shareProcessNamespace`, true, "ShareProcessNamespace and HostPID cannot both be enabled");
  }
  yield* validateSysctls(`${field}.sysctls`, context.sysctls);
  yield* validateEnum(`${field}.fsGroupChangePolicy`, context.fsGroupChangePolicy, ["Always", "OnRootMismatch"]);
  yield* validateSeccompProfile(`${field}.seccompProfile`, context.seccompProfile);
  yield* validateAppArmorProfile(`${field}.appArmorProfile`, context.appArmorProfile);
  yield* validateEnum(`${field}.supplementalGroupsPolicy`, context.supplementalGroupsPolicy, ["Merge", "Strict"]);
}

const SYSCTL_PATTERN = "([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
const sysctl = new RegExp(`^${SYSCTL_PATTERN}$`);

function* validateSysctls(field: string, all: readonly Unvalidated<{ readonly name: string }>[] | null | undefined): FieldErrors {
  const names = new Set<string>();
  for (const [i, { name = "" }] of (all ?? []).entries()) {
    const at = `${field}[${i}].name`;
    if (!name) yield fieldError.required(at);
    else if (name.length > 253 || !sysctl.test(name)) {
      yield fieldError.invalid(at, name, `must have at most 253 characters and match regex ^${SYSCTL_PATTERN}$`);
    } else if (names.has(name)) yield fieldError.duplicate(at, name);
    names.add(name ?? "");
  }
}

function* validateSeccompProfile(field: string, profile: Unvalidated<SeccompProfile> | null | undefined): FieldErrors {
  if (!profile) return;
  const { type, localhostProfile } = profile;
  if (!type) yield fieldError.required(`${field}.type`, "type is required when seccompProfile is set");
  else if (!PROFILE_TYPES.includes(type)) yield fieldError.notSupported(`${field}.type`, type, PROFILE_TYPES);
  if (type === "Localhost") {
    if (localhostProfile == null) yield fieldError.required(`${field}.localhostProfile`, "must be set when seccomp type is Localhost");
    else yield* validateRelativePath(`${field}.localhostProfile`, localhostProfile);
  } else if (localhostProfile != null) {
    yield fieldError.invalid(`${field}.localhostProfile`, { type, localhostProfile }, "can only be set when seccomp type is Localhost");
  }
}

function* validateAppArmorProfile(field: string, profile: Unvalidated<AppArmorProfile> | null | undefined): FieldErrors {
  if (!profile) return;
  const { type, localhostProfile } = profile;
  const at = `${field}.localhostProfile`;
  if (!type) yield fieldError.required(`${field}.type`, "type is required when appArmorProfile is set");
  else if (!PROFILE_TYPES.includes(type)) yield fieldError.notSupported(`${field}.type`, type, PROFILE_TYPES);
  else if (type === "Localhost") {
    if (!localhostProfile) yield fieldError.required(at, "must be set when AppArmor type is Localhost");
  } else if (localhostProfile != null) yield fieldError.invalid(at, localhostProfile, "can only be set when AppArmor type is Localhost");
}
