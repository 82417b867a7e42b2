import { allow } from "pintle/client";
import { controller } from "pintle/controller";
import { ReplicaSet, type ReplicaSetCondition } from "pintle/kinds/apps/v1";
import { Pod } from "pintle/kinds/core/v1";
import { canonical } from "pintle/merge";
import { timestamp } from "../../api/index.ts";
import { claim, orphansOf } from "../claims.ts";
import { MANAGED } from "../managed.ts";
import { operated } from "../operated.ts";
import { controllerOf } from "../owner.ts";
import type { Part, Plant } from "../part.ts";
import { isNamespaceGoing, podControl, textOf } from "../pod-control.ts";
import { selecting } from "../selecting.ts";
import { slowStart } from "../slow-start.ts";
import { replicaSetStep } from "./step.ts";

/** Keeps as many pods as the ReplicaSet says; those that match its selector and belong to nobody are its own too. */
export function replicaSets(plant: Plant): Part {
  const { clock, cache } = plant;
  const views = [cache.watch(Pod), cache.watch(ReplicaSet)] as const;
  const orphans = orphansOf(views[0]);
  const choosing = selecting(views[1], "replica sets by selector", ({ spec }) => spec.selector);
  const made = controller(ReplicaSet, {
    name: "replicaset-controller",
    owns: [Pod],
    watches: {
      orphans: {
        kind: Pod,
        by: (pod) =>
          controllerOf(pod) === undefined ? choosing(pod.metadata.labels, pod.metadata.namespace).map(({ metadata }) => metadata) : [],
      },
    },
    needs: [allow(Pod, "create", "delete", "patch"), allow(ReplicaSet, "status/update")],
    async reconcile({ object: set, owned, client, event, want }) {
      const { selector } = set.spec;
      const mine = await claim({
        client,
        kind: Pod,
        ownerKind: ReplicaSet,
        owner: set,
        selector,
        owned: owned(Pod).all(),
        orphans: orphans(set.metadata.namespace),
      });
      const { create, remove } = replicaSetStep(set, mine, clock.now());
      const pods = podControl(client, ReplicaSet, event);
      const { failure: refused } = await slowStart(create, () => pods.create(set, set.spec.template));
      const deletions = await Promise.allSettled(remove.map(pods.delete));
      const kept = deletions.find((result) => result.status === "rejected")?.reason;
      if (isNamespaceGoing(refused)) return undefined;
      const time = timestamp(clock.now());
      const condition = refused !== undefined ? failed("FailedCreate", refused, time) : kept && failed("FailedDelete", kept, time);
      const { status, again } = replicaSetStep(set, owned(Pod).all(), clock.now(), condition);
      if (canonical(status) !== canonical(set.status)) await client.status.replace(ReplicaSet, { ...set, status }, MANAGED);
      if (refused ?? kept) throw refused ?? kept;
      return again === undefined ? undefined : want({ requeueAfter: again });
    },
  });
  return operated(made, plant, views);
}

function failed(reason: string, error: unknown, now: string): ReplicaSetCondition {
  return { type: "ReplicaFailure", status: "True", reason, message: textOf(error), lastTransitionTime: now };
}
