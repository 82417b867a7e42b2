import type { Container, Pod, Toleration } from "pintle/kinds/core/v1";
import { fieldError } from "../../../status/index.ts";
import type { Unvalidated } from "../../draft.ts";
import { validateTrimmedImage } from "../../validation/container.ts";
import { validateIp } from "../../validation/ip-address.ts";
import { validatePodSpec } from "../../validation/pod-spec.ts";
import { validateTolerations } from "../../validation/scheduling.ts";
import {
  createInvalidErrors,
  type FieldErrors,
  isSemanticallyEqual,
  validateDnsSubdomainField,
  validateImmutableField,
  validateQualifiedNameField,
} from "../../validation/validators.ts";

const DELETION_COST = "controller.kubernetes.io/pod-deletion-cost";

/** Validates a new or updated pod. */
export function* validatePod(pod: Unvalidated<Pod>): FieldErrors {
  const spec = pod.spec ?? {};
  const cost = pod.metadata?.annotations?.[DELETION_COST];
  if (cost != null && !/^(0|[-+]?[1-9]\d{0,9})$/.test(cost)) {
    yield fieldError.invalid(`metadata.annotations[${DELETION_COST}]`, cost, "must be a 32bit integer");
  }
  yield* validatePodSpec("spec", spec, { name: pod.metadata?.name ?? undefined });
  if (!spec.serviceAccountName) yield* validateNoTokenVolumes(spec);
  for (const list of ["containers", "initContainers"] as const) {
    for (const [i, container] of (spec[list] ?? []).entries()) yield* validateTrimmedImage(`spec.${list}[${i}]`, container);
  }
}

function* validateNoTokenVolumes({ volumes }: UnvalidatedPodSpec): FieldErrors {
  for (const [i, { projected }] of (volumes ?? []).entries()) {
    for (const [j, { serviceAccountToken }] of (projected?.sources ?? []).entries()) {
      if (!serviceAccountToken) continue;
      const at = `spec.volumes[${i}].projected.sources[${j}].serviceAccountToken`;
      yield fieldError.forbidden(at, "must not be specified when serviceAccountName is not set");
    }
  }
}

export function* validatePodCreate(pod: Unvalidated<Pod>): FieldErrors {
  yield* validatePod(pod);
  if (pod.spec?.ephemeralContainers?.length) yield fieldError.forbidden("spec.ephemeralContainers", "cannot be set on create");
  if (pod.spec?.nodeName && pod.spec.schedulingGates?.length) {
    yield fieldError.forbidden("spec.nodeName", "cannot be set until all schedulingGates have been cleared");
  }
}

const UPDATABLE_FIELDS = [
  "`spec.containers[*].image`",
  "`spec.initContainers[*].image`",
  "`spec.activeDeadlineSeconds`",
  "`spec.tolerations` (only additions to existing tolerations)",
  "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
];

/** Validates an update of a pod, which may change only a few fields. */
export function* validatePodUpdate(pod: Unvalidated<Pod>, live: Unvalidated<Pod>): FieldErrors {
  yield* validatePod(pod);
  const spec = pod.spec ?? {};
  const was = live.spec ?? {};
  for (const list of ["containers", "initContainers"] as const) {
    if ((spec[list]?.length ?? 0) !== (was[list]?.length ?? 0)) {
      return yield fieldError.forbidden(`spec.${list}`, "pod updates may not add or remove containers");
    }
    for (const [i, container] of (spec[list] ?? []).entries()) {
      if (!container.image) yield fieldError.required(`spec.${list}[${i}].image`);
      yield* validateTrimmedImage(`spec.${list}[${i}]`, container);
    }
  }
  const deadline = spec.activeDeadlineSeconds;
  const before = was.activeDeadlineSeconds;
  if (deadline == null && before != null) {
    yield fieldError.invalid("spec.activeDeadlineSeconds", null, "must not update from a positive integer to nil value");
  } else if (deadline != null && before != null && before < deadline) {
    return yield fieldError.invalid("spec.activeDeadlineSeconds", deadline, "must be less than or equal to previous value");
  }
  yield* validateOnlyAddedTolerations("spec.tolerations", spec.tolerations ?? [], was.tolerations ?? []);
  const gates = new Set(was.schedulingGates?.map(({ name }) => name));
  for (const [i, { name }] of (spec.schedulingGates ?? []).entries()) {
    if (gates.has(name)) continue;
    const why = `only deletion is allowed, but found new scheduling gate '${name}'`;
    yield fieldError.forbidden(`spec.schedulingGates[${i}].name`, why);
  }
  const changed = findChangedFields(spec, was);
  if (changed.length === 0) return;
  const list = changed.map((field) => `  spec.${field}`).join("\n");
  yield fieldError.forbidden("spec", `pod updates may not change fields other than ${UPDATABLE_FIELDS.join(",")}\n${list}\n`);
}

function* validateOnlyAddedTolerations(
  field: string,
  next: readonly Unvalidated<Toleration>[],
  live: readonly Unvalidated<Toleration>[],
): FieldErrors {
  const isKept = live.every((old) =>
    next.some((each) => isSemanticallyEqual({ ...each, tolerationSeconds: null }, { ...old, tolerationSeconds: null })),
  );
  if (!isKept) return yield fieldError.forbidden(field, "existing toleration can not be modified except its tolerationSeconds");
  yield* validateTolerations(field, next);
}

type UnvalidatedPodSpec = NonNullable<Unvalidated<Pod>["spec"]>;
const MUTABLE_FIELDS = new Set(["activeDeadlineSeconds", "schedulingGates", "tolerations"]);

/** Returns the immutable spec fields that changed. */
function findChangedFields(spec: UnvalidatedPodSpec, was: UnvalidatedPodSpec): readonly string[] {
  const gated = !!was.schedulingGates?.length;
  const names = new Set([...Object.keys(spec), ...Object.keys(was)]) as Set<keyof UnvalidatedPodSpec>;
  const negative = (was.terminationGracePeriodSeconds ?? 0) < 0 && spec.terminationGracePeriodSeconds === 1;
  return [...names].filter((name) => {
    if (MUTABLE_FIELDS.has(name) || (name === "terminationGracePeriodSeconds" && negative)) return false;
    if (gated && (name === "nodeSelector" || name === "affinity")) return false;
    if (name === "containers" || name === "initContainers")
      return !isSemanticallyEqual(withoutImages(spec[name]), withoutImages(was[name]));
    return !isSemanticallyEqual(spec[name], was[name]);
  });
}

function withoutImages(all: readonly Unvalidated<Container>[] | null | undefined) {
  return all?.map(({ image: _, ...rest }) => rest);
}

const SYSTEM_CONDITIONS = new Set(["PodScheduled", "Ready", "Initialized"]);

export function* validatePodStatus(pod: Unvalidated<Pod>, live: Unvalidated<Pod>): FieldErrors {
  const status = pod.status ?? {};
  for (const [i, { type }] of (status.conditions ?? []).entries()) {
    if (!SYSTEM_CONDITIONS.has(type ?? "")) yield* validateQualifiedNameField(`status.conditions[${i}].Type`, type ?? "");
  }
  const { nominatedNodeName: nominated } = status;
  if (nominated && nominated !== live.status?.nominatedNodeName) yield* validateDnsSubdomainField("status.nominatedNodeName", nominated);
  yield* validateImmutableField("status.qosClass", status.qosClass, live.status?.qosClass);
  yield* validateContainerStateTransitions("status.containerStatuses", pod, live);
  for (const [i, { ip }] of (status.podIPs ?? []).entries())
    yield* createInvalidErrors(`status.podIPs[${i}]`, ip ?? "", validateIp(ip ?? ""));
  if (!status.hostIPs?.length) return;
  const [first] = status.hostIPs;
  if ((status.hostIP ?? "") !== (first?.ip ?? "")) {
    yield fieldError.invalid("status.hostIPs[0].ip", first?.ip ?? "", "must be equal to `hostIP`");
  }
  for (const [i, { ip }] of status.hostIPs.entries()) yield* createInvalidErrors(`status.hostIPs[${i}]`, ip ?? "", validateIp(ip ?? ""));
}

/** Requires that containers which terminated for good stay terminated. */
function* validateContainerStateTransitions(field: string, pod: Unvalidated<Pod>, live: Unvalidated<Pod>): FieldErrors {
  const policy = live.spec?.restartPolicy;
  if (policy === "Always") return;
  for (const [i, old] of (live.status?.containerStatuses ?? []).entries()) {
    const ended = old.state?.terminated;
    if (!ended || (ended.exitCode !== 0 && policy === "OnFailure")) continue;
    const now = pod.status?.containerStatuses?.find(({ name }) => name === old.name);
    if (now && !now.state?.terminated) {
      yield fieldError.forbidden(`${field}[${i}].state`, "may not be transitioned to non-terminated state");
    }
  }
}
