import type { Container, Pod, Toleration } from "pintle/kinds/core/v1";
import { fieldError } from "../../status/index.ts";
import type { Loose } from "../draft.ts";
import { ipProblems } from "../text/addresses.ts";
import { trimmedImage } from "../validate/container.ts";
import { podSpec } from "../validate/pod-spec.ts";
import { dnsSubdomain, immutable, invalidFor, type Problems, qualifiedName, same } from "../validate/problems.ts";
import { tolerations } from "../validate/scheduling.ts";

const DELETION_COST = "controller.kubernetes.io/pod-deletion-cost";

/** What is wrong with a pod, new or changed. */
export function* validatePod(pod: Loose<Pod>): Problems {
  const spec = pod.spec ?? {};
  const cost = pod.metadata?.annotations?.[DELETION_COST];
  if (cost != null && !/^(0|[-+]?[1-9]\d{0,9})$/.test(cost)) {
    yield fieldError.invalid(`metadata.annotations[${DELETION_COST}]`, cost, "must be a 32bit integer");
  }
  yield* podSpec("spec", spec, { name: pod.metadata?.name ?? undefined });
  if (!spec.serviceAccountName) yield* noTokens(spec);
  for (const list of ["containers", "initContainers"] as const) {
    for (const [i, container] of (spec[list] ?? []).entries()) yield* trimmedImage(`spec.${list}[${i}]`, container);
  }
}

function* noTokens({ volumes }: Spec): Problems {
  for (const [i, { projected }] of (volumes ?? []).entries()) {
    for (const [j, { serviceAccountToken }] of (projected?.sources ?? []).entries()) {
      if (!serviceAccountToken) continue;
      const at = `spec.volumes[${i}].projected.sources[${j}].serviceAccountToken`;
      yield fieldError.forbidden(at, "must not be specified when serviceAccountName is not set");
    }
  }
}

export function* validatePodCreate(pod: Loose<Pod>): Problems {
  yield* validatePod(pod);
  if (pod.spec?.ephemeralContainers?.length) yield fieldError.forbidden("spec.ephemeralContainers", "cannot be set on create");
  if (pod.spec?.nodeName && pod.spec.schedulingGates?.length) {
    yield fieldError.forbidden("spec.nodeName", "cannot be set until all schedulingGates have been cleared");
  }
}

const UPDATABLE = [
  "`spec.containers[*].image`",
  "`spec.initContainers[*].image`",
  "`spec.activeDeadlineSeconds`",
  "`spec.tolerations` (only additions to existing tolerations)",
  "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
];

/** A pod is what it was made as, but for very little. */
export function* validatePodUpdate(pod: Loose<Pod>, live: Loose<Pod>): Problems {
  yield* validatePod(pod);
  const spec = pod.spec ?? {};
  const was = live.spec ?? {};
  for (const list of ["containers", "initContainers"] as const) {
    if ((spec[list]?.length ?? 0) !== (was[list]?.length ?? 0)) {
      return yield fieldError.forbidden(`spec.${list}`, "pod updates may not add or remove containers");
    }
    for (const [i, container] of (spec[list] ?? []).entries()) {
      if (!container.image) yield fieldError.required(`spec.${list}[${i}].image`);
      yield* trimmedImage(`spec.${list}[${i}]`, container);
    }
  }
  const deadline = spec.activeDeadlineSeconds;
  const before = was.activeDeadlineSeconds;
  if (deadline == null && before != null) {
    yield fieldError.invalid("spec.activeDeadlineSeconds", null, "must not update from a positive integer to nil value");
  } else if (deadline != null && before != null && before < deadline) {
    return yield fieldError.invalid("spec.activeDeadlineSeconds", deadline, "must be less than or equal to previous value");
  }
  yield* onlyAdded("spec.tolerations", spec.tolerations ?? [], was.tolerations ?? []);
  const gates = new Set(was.schedulingGates?.map(({ name }) => name));
  for (const [i, { name }] of (spec.schedulingGates ?? []).entries()) {
    if (gates.has(name)) continue;
    const why = `only deletion is allowed, but found new scheduling gate '${name}'`;
    yield fieldError.forbidden(`spec.schedulingGates[${i}].name`, why);
  }
  const changed = changedFields(spec, was);
  if (changed.length === 0) return;
  const list = changed.map((field) => `  spec.${field}`).join("\n");
  yield fieldError.forbidden("spec", `pod updates may not change fields other than ${UPDATABLE.join(",")}\n${list}\n`);
}

function* onlyAdded(field: string, next: readonly Loose<Toleration>[], live: readonly Loose<Toleration>[]): Problems {
  const kept = live.every((old) => next.some((each) => same({ ...each, tolerationSeconds: null }, { ...old, tolerationSeconds: null })));
  if (!kept) return yield fieldError.forbidden(field, "existing toleration can not be modified except its tolerationSeconds");
  yield* tolerations(field, next);
}

type Spec = NonNullable<Loose<Pod>["spec"]>;
const FREE = new Set(["activeDeadlineSeconds", "schedulingGates", "tolerations"]);

/** Fields of a pod's spec that changed although they may not. */
function changedFields(spec: Spec, was: Spec): readonly string[] {
  const gated = !!was.schedulingGates?.length;
  const names = new Set([...Object.keys(spec), ...Object.keys(was)]) as Set<keyof Spec>;
  const negative = (was.terminationGracePeriodSeconds ?? 0) < 0 && spec.terminationGracePeriodSeconds === 1;
  return [...names].filter((name) => {
    if (FREE.has(name) || (name === "terminationGracePeriodSeconds" && negative)) return false;
    if (gated && (name === "nodeSelector" || name === "affinity")) return false;
    if (name === "containers" || name === "initContainers") return !same(withoutImages(spec[name]), withoutImages(was[name]));
    return !same(spec[name], was[name]);
  });
}

function withoutImages(all: readonly Loose<Container>[] | null | undefined) {
  return all?.map(({ image: _, ...rest }) => rest);
}

const SYSTEM_CONDITIONS = new Set(["PodScheduled", "Ready", "Initialized"]);

export function* validatePodStatus(pod: Loose<Pod>, live: Loose<Pod>): Problems {
  const status = pod.status ?? {};
  for (const [i, { type }] of (status.conditions ?? []).entries()) {
    if (!SYSTEM_CONDITIONS.has(type ?? "")) yield* qualifiedName(`status.conditions[${i}].Type`, type ?? "");
  }
  const { nominatedNodeName: nominated } = status;
  if (nominated && nominated !== live.status?.nominatedNodeName) yield* dnsSubdomain("status.nominatedNodeName", nominated);
  yield* immutable("status.qosClass", status.qosClass, live.status?.qosClass);
  yield* stateTransitions("status.containerStatuses", pod, live);
  for (const [i, { ip }] of (status.podIPs ?? []).entries()) yield* invalidFor(`status.podIPs[${i}]`, ip ?? "", ipProblems(ip ?? ""));
  if (!status.hostIPs?.length) return;
  const [first] = status.hostIPs;
  if ((status.hostIP ?? "") !== (first?.ip ?? "")) {
    yield fieldError.invalid("status.hostIPs[0].ip", first?.ip ?? "", "must be equal to `hostIP`");
  }
  for (const [i, { ip }] of status.hostIPs.entries()) yield* invalidFor(`status.hostIPs[${i}]`, ip ?? "", ipProblems(ip ?? ""));
}

/** A container that ended for good does not run again. */
function* stateTransitions(field: string, pod: Loose<Pod>, live: Loose<Pod>): Problems {
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
