import { allow, type NewObject, RequestError } from "pintle/client";
import { controller } from "pintle/controller";
import { ReplicaSet, type ReplicaSetCondition } from "pintle/kinds/apps/v1";
import { Pod, type PodKind } from "pintle/kinds/core/v1";
import { canonical } from "pintle/merge";
import type { Clock } from "pintle/queue";
import { timestamp } from "../../api/index.ts";
import { MANAGED } from "../managed.ts";
import { controlledBy } from "../owner.ts";
import { replicaSetStep } from "./step.ts";

/** Keeps as many pods as the ReplicaSet says. */
export function replicaSetController(clock: Clock) {
  return controller(ReplicaSet, {
    name: "replicaset-controller",
    owns: [Pod],
    needs: [allow(Pod, "create", "delete"), allow(ReplicaSet, "status/update")],
    async reconcile({ object: set, owned, client, event, want }) {
      const pods = owned(Pod).all();
      const { create, remove } = replicaSetStep(set, pods, clock.now());
      const failures: [reason: string, error: unknown][] = [];
      const attempts = [
        ...Array.from({ length: create }, async () => {
          const pod = await client.create(Pod, podOf(set), MANAGED);
          event("SuccessfulCreate", `Created pod: ${pod.metadata.name}`);
        }),
        ...remove.map(async ({ metadata: { name, namespace, uid } }) => {
          await client.delete(Pod, { name, namespace }, { uid });
          event("SuccessfulDelete", `Deleted pod: ${name}`);
        }),
      ];
      for (const result of await Promise.allSettled(attempts)) {
        if (result.status === "rejected") failures.push([create > 0 ? "FailedCreate" : "FailedDelete", result.reason]);
      }
      const [failure] = failures;
      if (failure !== undefined) event(failure[0], `Error: ${textOf(failure[1])}`, { type: "Warning" });
      const condition = failure === undefined ? undefined : failed(failure[0], failure[1], timestamp(clock.now()));
      const { status, again } = replicaSetStep(set, owned(Pod).all(), clock.now(), condition);
      if (canonical(status) !== canonical(set.status)) await client.status.replace(ReplicaSet, { ...set, status }, MANAGED);
      if (failure !== undefined) throw failure[1];
      return again === undefined ? undefined : want({ requeueAfter: again });
    },
  });
}

function podOf(set: ReplicaSet): NewObject<PodKind> {
  const { labels, annotations } = set.spec.template?.metadata ?? {};
  return {
    metadata: {
      generateName: `${set.metadata.name}-`,
      namespace: set.metadata.namespace,
      labels,
      annotations,
      ownerReferences: [controlledBy(ReplicaSet, set)],
    },
    spec: set.spec.template?.spec ?? { containers: [] },
  };
}

function failed(reason: string, error: unknown, now: string): ReplicaSetCondition {
  return { type: "ReplicaFailure", status: "True", reason, message: textOf(error), lastTransitionTime: now };
}

function textOf(error: unknown): string {
  return error instanceof RequestError ? (error.status?.message ?? error.message) : String(error);
}
