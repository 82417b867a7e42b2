import { allow } from "pintle/client";
import { controller } from "pintle/internal/controller";
import { canonicalJson } from "pintle/internal/merge";
import type { ObjectOf } from "pintle/kinds";
import { ReplicaSet, type ReplicaSetCondition } from "pintle/kinds/apps/v1";
import { Pod, ReplicationController } from "pintle/kinds/core/v1";
import { formatTimestamp } from "../../api/index.ts";
import type { ControllerContext, ControlPlaneComponent } from "../component.ts";
import { startControllerComponent } from "../controller-component.ts";
import { FIELD_MANAGER } from "../field-manager.ts";
import { createChildClaims } from "../workload/child-claims.ts";
import { createPodControl, getErrorMessage, isNamespaceTerminating } from "../workload/pod-control.ts";
import { slowStartBatch } from "../workload/slow-start-batch.ts";
import { planReplicaSet } from "./plan.ts";

/** Starts the controller that maintains the desired number of pods of each ReplicaSet, and adopts matching pods without a controller. */
export function startReplicaSetController(context: ControllerContext): ControlPlaneComponent {
  return startReplicaController(context, "replicaset-controller", ReplicaSet, (set) => set);
}

/** Starts the same controller for ReplicationControllers, which differ in the form of the selector and in one field of the status. */
export function startReplicationController(context: ControllerContext): ControlPlaneComponent {
  return startReplicaController(context, "replication-controller", ReplicationController, ({ spec, ...rest }) => ({
    ...(rest as unknown as ReplicaSet),
    spec: { ...spec, selector: { matchLabels: spec.selector } },
  }));
}

/** `toReplicaSet` returns the object as the ReplicaSet with the same pods. */
function startReplicaController<K extends typeof ReplicaSet | typeof ReplicationController>(
  context: ControllerContext,
  name: string,
  kind: K,
  toReplicaSet: (object: ObjectOf<K>) => ReplicaSet,
): ControlPlaneComponent {
  const { clock, cache } = context;
  const claims = createChildClaims(cache, { owner: kind, child: Pod, getSelector: (object) => toReplicaSet(object).spec.selector });
  const replicaSets = controller(kind, {
    name,
    owns: [Pod],
    watches: {
      orphans: claims.watch,
    },
    needs: [allow(Pod, "create", "delete", "patch"), allow(kind, "status/update")],
    async reconcile({ object, owned, client, event, want }) {
      const set = toReplicaSet(object as ObjectOf<K>);
      const claimed = await claims.claim(client, object as ObjectOf<K>, owned(Pod).list());
      const { create, remove } = planReplicaSet(set, claimed, clock.now());
      const pods = createPodControl(client, kind, event);
      const { failure: createError } = await slowStartBatch(create, () => pods.create(set, set.spec.template));
      const deletions = await Promise.allSettled(remove.map(pods.delete));
      const deleteError = deletions.find((result) => result.status === "rejected")?.reason;
      if (isNamespaceTerminating(createError)) return undefined;
      const time = formatTimestamp(clock.now());
      const condition =
        createError !== undefined
          ? buildReplicaFailure("FailedCreate", createError, time)
          : deleteError && buildReplicaFailure("FailedDelete", deleteError, time);
      const { status: setStatus, requeueAfter } = planReplicaSet(set, owned(Pod).list(), clock.now(), condition);
      const { terminatingReplicas: _, ...common } = setStatus;
      const status = kind === ReplicaSet ? setStatus : common;
      if (canonicalJson(status) !== canonicalJson(object.status)) {
        await client.status.replace(kind as typeof ReplicaSet, { ...(object as ReplicaSet), status }, FIELD_MANAGER);
      }
      if (createError ?? deleteError) throw createError ?? deleteError;
      return requeueAfter === undefined ? undefined : want({ requeueAfter });
    },
  });
  return startControllerComponent(replicaSets, context, claims.views);
}

function buildReplicaFailure(reason: string, error: unknown, now: string): ReplicaSetCondition {
  return { type: "ReplicaFailure", status: "True", reason, message: getErrorMessage(error), lastTransitionTime: now };
}
