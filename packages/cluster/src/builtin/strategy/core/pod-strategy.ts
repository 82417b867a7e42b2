import { quoteGoString } from "pintle/internal/go-format";
import { isJsonEqual } from "pintle/internal/merge";
import type { Pod } from "pintle/kinds/core/v1";
import { formatTimestamp, type StrategyContext } from "../../../api/index.ts";
import { fieldError } from "../../../status/index.ts";
import type { Draft, Unvalidated } from "../../draft.ts";
import { getQosClass } from "../../qos-class.ts";
import { isSemanticallyEqual } from "../../validation/validators.ts";
import type { SubresourceStrategy } from "../kind-strategy.ts";
import { validatePod } from "./pod-validation.ts";

export function preparePodForCreate(draft: Draft<Pod>, { now }: StrategyContext): void {
  draft.status = { phase: "Pending", qosClass: getQosClass(draft) };
  if (draft.spec?.schedulingGates?.length) {
    draft.status.conditions = [
      {
        type: "PodScheduled",
        status: "False",
        lastProbeTime: null,
        lastTransitionTime: formatTimestamp(now),
        reason: "SchedulingGated",
        message: "Scheduling is blocked due to non-empty scheduling gates",
      },
    ];
  }
}

export const podStatusStrategy: SubresourceStrategy<Pod> = {
  prepareForUpdate(draft, live) {
    draft.spec = live.spec as never;
    const { metadata } = draft;
    // Old kubelets send invalid owner references.
    if (metadata) metadata.ownerReferences = (live.metadata?.ownerReferences ?? undefined) as never;
    if (!draft.status) return;
    draft.status.qosClass ||= live.status?.qosClass;
    draft.status.observedGeneration ||= live.status?.observedGeneration;
    keepObservedGenerations(draft, live);
  },
  resetFields: [["spec"], ["metadata", "deletionTimestamp"], ["metadata", "ownerReferences"]],
};

/** Keeps observedGeneration of conditions for clients that do not know the field. */
function keepObservedGenerations({ status }: Draft<Pod>, live: Unvalidated<Pod>): void {
  for (const condition of status?.conditions ?? []) {
    const before = live.status?.conditions?.find(({ type }) => type === condition.type);
    if (!condition.observedGeneration && before?.observedGeneration) condition.observedGeneration = before.observedGeneration;
  }
}

/** Restores the metadata, except for resourceVersion and managedFields. */
function keepMetadata(draft: Draft<Pod>, live: Unvalidated<Pod>): void {
  const { resourceVersion, managedFields } = draft.metadata ?? {};
  draft.metadata = { ...(live.metadata as Draft<Pod>["metadata"]), resourceVersion, managedFields };
}

function incrementGeneration(draft: Draft<Pod>, live: Unvalidated<Pod>): void {
  if (draft.metadata && !isJsonEqual(draft.spec as never, live.spec as never))
    draft.metadata.generation = (live.metadata?.generation ?? 0) + 1;
}

export const ephemeralContainersStrategy: SubresourceStrategy<Pod> = {
  prepareForUpdate(draft, live) {
    const added = draft.spec?.ephemeralContainers;
    draft.spec = { ...(live.spec as Draft<Pod>["spec"]) };
    if (added?.length) draft.spec.ephemeralContainers = added;
    else delete draft.spec.ephemeralContainers;
    draft.status = live.status as never;
    keepMetadata(draft, live);
    incrementGeneration(draft, live);
  },
  validate: function* (pod, live) {
    yield* validatePod(pod);
    for (const old of live.spec?.ephemeralContainers ?? []) {
      const now = pod.spec?.ephemeralContainers?.find(({ name }) => name === old.name);
      const done = now === undefined ? "removed" : isSemanticallyEqual(now, old) ? undefined : "changed";
      if (done === undefined) continue;
      yield fieldError.forbidden(
        "spec.ephemeralContainers",
        `existing ephemeral containers ${quoteGoString(old.name ?? "")} may not be ${done}\n`,
      );
    }
  },
};

type PodContainers = NonNullable<Draft<Pod>["spec"]>["containers"];

export const resizeStrategy: SubresourceStrategy<Pod> = {
  prepareForUpdate(draft, live) {
    const { containers, initContainers, resources } = draft.spec ?? {};
    const was = live.spec as Draft<Pod>["spec"];
    if (containers?.length !== was?.containers?.length || initContainers?.length !== was?.initContainers?.length) return;
    draft.spec = { ...was, containers: resizeContainers(containers, was?.containers) };
    if (initContainers) draft.spec.initContainers = resizeContainers(initContainers, was?.initContainers);
    if (resources) draft.spec.resources = resources;
    draft.status = live.status as never;
    keepMetadata(draft, live);
    incrementGeneration(draft, live);
  },
  validate: (pod) => validatePod(pod),
};

function resizeContainers(next: PodContainers, was: PodContainers): PodContainers {
  if (!next || !was || next.some(({ name }, index) => name !== was[index]?.name)) return next;
  return next.map(({ resources, resizePolicy }, index) => {
    const { resizePolicy: _, ...unchanged } = was[index]!;
    return { ...unchanged, resources, ...(resizePolicy ? { resizePolicy } : {}) };
  });
}
