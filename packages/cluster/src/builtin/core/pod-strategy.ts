import type { Pod } from "pintle/kinds/core/v1";
import { equal } from "pintle/merge";
import { type StrategyContext, timestamp } from "../../api/index.ts";
import { fieldError, goQuote } from "../../status/index.ts";
import type { Draft, Loose } from "../draft.ts";
import type { UpdateRules } from "../rules.ts";
import { same } from "../validate/problems.ts";
import { validatePod } from "./pod-validation.ts";
import { qosClass } from "./qos-class.ts";

export function preparePodCreate(draft: Draft<Pod>, { now }: StrategyContext): void {
  draft.status = { phase: "Pending", qosClass: qosClass(draft) };
  if (draft.spec?.schedulingGates?.length) {
    draft.status.conditions = [
      {
        type: "PodScheduled",
        status: "False",
        lastProbeTime: null,
        lastTransitionTime: timestamp(now),
        reason: "SchedulingGated",
        message: "Scheduling is blocked due to non-empty scheduling gates",
      },
    ];
  }
}

export const podStatus: UpdateRules<Pod> = {
  prepare(draft, live) {
    draft.spec = live.spec as never;
    const { metadata } = draft;
    // Old kubelets are known to send garbage here.
    if (metadata) metadata.ownerReferences = (live.metadata?.ownerReferences ?? undefined) as never;
    if (!draft.status) return;
    draft.status.qosClass ||= live.status?.qosClass;
    draft.status.observedGeneration ||= live.status?.observedGeneration;
    keepObservedGenerations(draft, live);
  },
  resetFields: [["spec"], ["metadata", "deletionTimestamp"], ["metadata", "ownerReferences"]],
};

/** A client that does not know the field must not lose it. */
function keepObservedGenerations({ status }: Draft<Pod>, live: Loose<Pod>): void {
  for (const condition of status?.conditions ?? []) {
    const before = live.status?.conditions?.find(({ type }) => type === condition.type);
    if (!condition.observedGeneration && before?.observedGeneration) condition.observedGeneration = before.observedGeneration;
  }
}

/** Everything but the metadata that any write may change. */
function keepMetadata(draft: Draft<Pod>, live: Loose<Pod>): void {
  const { resourceVersion, managedFields } = draft.metadata ?? {};
  draft.metadata = { ...(live.metadata as Draft<Pod>["metadata"]), resourceVersion, managedFields };
}

function count(draft: Draft<Pod>, live: Loose<Pod>): void {
  if (draft.metadata && !equal(draft.spec as never, live.spec as never)) draft.metadata.generation = (live.metadata?.generation ?? 0) + 1;
}

export const ephemeralContainers: UpdateRules<Pod> = {
  prepare(draft, live) {
    const added = draft.spec?.ephemeralContainers;
    draft.spec = { ...(live.spec as Draft<Pod>["spec"]) };
    if (added?.length) draft.spec.ephemeralContainers = added;
    else delete draft.spec.ephemeralContainers;
    draft.status = live.status as never;
    keepMetadata(draft, live);
    count(draft, live);
  },
  validate: function* (pod, live) {
    yield* validatePod(pod);
    for (const old of live.spec?.ephemeralContainers ?? []) {
      const now = pod.spec?.ephemeralContainers?.find(({ name }) => name === old.name);
      const done = now === undefined ? "removed" : same(now, old) ? undefined : "changed";
      if (done === undefined) continue;
      yield fieldError.forbidden(
        "spec.ephemeralContainers",
        `existing ephemeral containers ${goQuote(old.name ?? "")} may not be ${done}\n`,
      );
    }
  },
};

type Containers = NonNullable<Draft<Pod>["spec"]>["containers"];

export const resize: UpdateRules<Pod> = {
  prepare(draft, live) {
    const { containers, initContainers, resources } = draft.spec ?? {};
    const was = live.spec as Draft<Pod>["spec"];
    if (containers?.length !== was?.containers?.length || initContainers?.length !== was?.initContainers?.length) return;
    draft.spec = { ...was, containers: resized(containers, was?.containers) };
    if (initContainers) draft.spec.initContainers = resized(initContainers, was?.initContainers);
    if (resources) draft.spec.resources = resources;
    draft.status = live.status as never;
    keepMetadata(draft, live);
    count(draft, live);
  },
  validate: (pod) => validatePod(pod),
};

function resized(next: Containers, was: Containers): Containers {
  if (!next || !was || next.some(({ name }, index) => name !== was[index]?.name)) return next;
  return next.map(({ resources, resizePolicy }, index) => {
    const { resizePolicy: _, ...kept } = was[index]!;
    return { ...kept, resources, ...(resizePolicy ? { resizePolicy } : {}) };
  });
}
