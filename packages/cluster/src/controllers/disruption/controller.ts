import { Conflict, NotFound } from "pintle/client";
import { canonicalJson } from "pintle/internal/merge";
import type { WorkOutcome } from "pintle/internal/queue";
import { compileLabelSelector } from "pintle/internal/selectors";
import { Deployment, ReplicaSet, StatefulSet } from "pintle/kinds/apps/v1";
import { Pod } from "pintle/kinds/core/v1";
import { PodDisruptionBudget } from "pintle/kinds/policy/v1";
import { formatTimestamp } from "../../api/index.ts";
import { type ControllerContext, type ControlPlaneComponent, createQueueComponent } from "../component.ts";
import { FIELD_MANAGER } from "../field-manager.ts";
import { getObjectKey, splitObjectKey } from "../shared/object-key.ts";
import { indexBySelector } from "../shared/selector-index.ts";
import { countExpectedPods } from "./expected-pods.ts";
import { computeDisruptionStatus } from "./status.ts";

const COMPONENT = "controllermanager";

/** Starts the controller that maintains the status of PodDisruptionBudgets. */
export function startDisruptionController({ client, cache, clock, createWorkQueue, events }: ControllerContext): ControlPlaneComponent {
  const budgets = cache.watch(PodDisruptionBudget);
  const pods = cache.watch(Pod);
  const scaled = [cache.watch(Deployment), cache.watch(ReplicaSet), cache.watch(StatefulSet)] as const;
  const findBudgets = indexBySelector(budgets, "budgets by selector", ({ spec }) => spec.selector);
  const work = createWorkQueue({ clock, concurrency: 4, work: ({ key }) => sync(key) });
  const enqueue = (object: PodDisruptionBudget) => work.add(getObjectKey(object));
  budgets.addEventHandler(({ new: current }) => {
    if (current !== undefined) enqueue(current);
  });
  pods.addEventHandler(({ old, new: current }) => {
    if (!budgets.isSynced) return;
    for (const pod of [old, current])
      if (pod !== undefined) for (const budget of findBudgets(pod.metadata.labels, pod.metadata.namespace)) enqueue(budget);
  });
  for (const view of scaled) {
    view.addEventHandler(({ old, new: current }) => {
      if (!budgets.isSynced || old?.spec.replicas === current?.spec.replicas) return;
      for (const budget of budgets.list({ namespace: (current ?? old)!.metadata.namespace })) enqueue(budget);
    });
  }

  const sync = async (key: string): Promise<WorkOutcome | undefined> => {
    const { namespace, name } = splitObjectKey(key);
    const budget = budgets.get({ name, namespace });
    if (budget === undefined || budget.metadata.deletionTimestamp !== undefined) return undefined;
    const matcher = compileLabelSelector(budget.spec.selector);
    const selectedPods = pods.list({ namespace }).filter((pod) => matcher.matches(pod.metadata.labels));
    const recordEvent = (type: "Normal" | "Warning", reason: string, message: string) =>
      events.record({ component: COMPONENT, kind: PodDisruptionBudget, object: budget, type, reason, message });
    if (selectedPods.length === 0) recordEvent("Normal", "NoPods", "No matching pods found");
    const { count, unmanaged } = await countExpectedPods(client, selectedPods);
    if (unmanaged.length > 0 && (budget.spec.maxUnavailable !== undefined || typeof budget.spec.minAvailable === "string")) {
      recordEvent(
        "Warning",
        "CalculateExpectedPodCountFailed",
        `Failed to calculate the number of expected pods: found no controllers for pod "${unmanaged[0]?.metadata.name}"`,
      );
    }
    const { status, requeueAfter } = computeDisruptionStatus(budget, selectedPods, count, clock.now(), formatTimestamp(clock.now()));
    if (canonicalJson(status) !== canonicalJson(budget.status)) {
      try {
        await client.status.replace(PodDisruptionBudget, { ...budget, status }, FIELD_MANAGER);
      } catch (error) {
        if (error instanceof NotFound) return undefined;
        // An eviction updated the budget in the meantime.
        if (error instanceof Conflict) return { type: "requeue", after: 5 };
        throw error;
      }
    }
    return requeueAfter === undefined ? undefined : { type: "requeue", after: requeueAfter };
  };
  return createQueueComponent("disruption-controller", work, [budgets, pods, ...scaled]);
}
