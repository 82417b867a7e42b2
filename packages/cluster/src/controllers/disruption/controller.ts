import { labelSelector } from "pintle/cache";
import { Conflict, NotFound } from "pintle/client";
import { Deployment, ReplicaSet, StatefulSet } from "pintle/kinds/apps/v1";
import { Pod } from "pintle/kinds/core/v1";
import { PodDisruptionBudget } from "pintle/kinds/policy/v1";
import { canonical } from "pintle/merge";
import { type Outcome, queue } from "pintle/queue";
import { timestamp } from "../../api/index.ts";
import { MANAGED } from "../managed.ts";
import { type Part, type Plant, queued } from "../part.ts";
import { selecting } from "../selecting.ts";
import { expectedPods } from "./expected.ts";
import { disruptionStep } from "./step.ts";

const COMPONENT = "controllermanager";

/** Keeps what budgets allow: how many of their pods may be missing now. */
export function disruptionBudgets({ client, cache, clock, events }: Plant): Part {
  const budgets = cache.watch(PodDisruptionBudget);
  const pods = cache.watch(Pod);
  const scaled = [cache.watch(Deployment), cache.watch(ReplicaSet), cache.watch(StatefulSet)] as const;
  const choosing = selecting(budgets, "budgets by selector", ({ spec }) => spec.selector);
  const work = queue({ clock, concurrency: 4, work: ({ key }) => attend(key) });
  const wake = ({ metadata }: PodDisruptionBudget) => work.add(`${metadata.namespace}/${metadata.name}`);
  budgets.on(({ new: seen }) => {
    if (seen !== undefined) wake(seen);
  });
  pods.on(({ old, new: seen }) => {
    if (!budgets.isSynced) return;
    for (const pod of [old, seen])
      if (pod !== undefined) for (const budget of choosing(pod.metadata.labels, pod.metadata.namespace)) wake(budget);
  });
  for (const view of scaled) {
    view.on(({ old, new: seen }) => {
      if (!budgets.isSynced || old?.spec.replicas === seen?.spec.replicas) return;
      for (const budget of budgets.list({ namespace: (seen ?? old)!.metadata.namespace })) wake(budget);
    });
  }

  const attend = async (key: string): Promise<Outcome | undefined> => {
    const [namespace = "", name = ""] = key.split("/");
    const budget = budgets.get({ name, namespace });
    if (budget === undefined || budget.metadata.deletionTimestamp !== undefined) return undefined;
    const chosen = labelSelector(budget.spec.selector);
    const members = pods.list({ namespace }).filter((pod) => chosen.matches(pod.metadata.labels));
    const say = (type: "Normal" | "Warning", reason: string, message: string) =>
      events.announce({ component: COMPONENT, kind: PodDisruptionBudget, object: budget, type, reason, message });
    if (members.length === 0) say("Normal", "NoPods", "No matching pods found");
    const { count, unmanaged } = await expectedPods(client, members);
    if (unmanaged.length > 0 && (budget.spec.maxUnavailable !== undefined || typeof budget.spec.minAvailable === "string")) {
      say(
        "Warning",
        "CalculateExpectedPodCountFailed",
        `Failed to calculate the number of expected pods: found no controllers for pod "${unmanaged[0]?.metadata.name}"`,
      );
    }
    const { status, again } = disruptionStep(budget, members, count, clock.now(), timestamp(clock.now()));
    if (canonical(status) !== canonical(budget.status)) {
      try {
        await client.status.replace(PodDisruptionBudget, { ...budget, status }, MANAGED);
      } catch (error) {
        if (error instanceof NotFound) return undefined;
        // An eviction took one in between.
        if (error instanceof Conflict) return { type: "again", after: 5 };
        throw error;
      }
    }
    return again === undefined ? undefined : { type: "again", after: again };
  };
  return queued("disruption-controller", work, [budgets, pods, ...scaled]);
}
