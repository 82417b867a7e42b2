import type { ObjectPatch } from "pintle/client";
import { Conflict, NotFound } from "pintle/client";
import { Job } from "pintle/kinds/batch/v1";
import { Pod } from "pintle/kinds/core/v1";
import { type ControllerContext, type ControlPlaneComponent, createQueueComponent } from "../component.ts";
import { FIELD_MANAGER } from "../field-manager.ts";
import { getObjectKey, splitObjectKey } from "../shared/object-key.ts";
import { getControllerOf } from "../shared/owner-reference.ts";
import { hasTrackingFinalizer, TRACKING_FINALIZER } from "./job-pods.ts";

export function buildRemoveFinalizerPatch({ metadata: { uid } }: Pod): ObjectPatch {
  return { strategic: { metadata: { uid, "$deleteFromPrimitiveList/finalizers": [TRACKING_FINALIZER] } } };
}

/** Starts the component that removes the tracking finalizer from pods whose Job is deleted: no controller counts them any more. */
export function startOrphanPodFinalizerComponent({ client, cache, clock, createWorkQueue }: ControllerContext): ControlPlaneComponent {
  const pods = cache.watch(Pod);
  const jobs = cache.watch(Job);
  const work = createWorkQueue({ clock, concurrency: 4, work: ({ key }) => sync(key) });
  const enqueue = (pod: Pod) => work.add(getObjectKey(pod));
  pods.addEventHandler(({ new: current }) => {
    if (current !== undefined && hasTrackingFinalizer(current)) enqueue(current);
  });
  jobs.addEventHandler(({ old, new: current }) => {
    const job = (current ?? old)!;
    if (current !== undefined && current.metadata.deletionTimestamp === undefined) return;
    if (pods.isSynced) for (const pod of pods.byOwner(job.metadata.uid)) enqueue(pod);
  });

  const sync = async (key: string): Promise<undefined> => {
    const { namespace, name } = splitObjectKey(key);
    const pod = pods.get({ name, namespace });
    if (pod === undefined || !hasTrackingFinalizer(pod)) return;
    const owner = getControllerOf(pod);
    const job = owner?.kind === "Job" ? jobs.get({ name: owner.name, namespace }) : undefined;
    if (job !== undefined && job.metadata.uid === owner?.uid && job.metadata.deletionTimestamp === undefined) return;
    try {
      await client.patch(Pod, { name, namespace }, buildRemoveFinalizerPatch(pod), FIELD_MANAGER);
    } catch (error) {
      if (!(error instanceof NotFound) && !(error instanceof Conflict)) throw error;
    }
  };
  return createQueueComponent("job pods", work, [pods, jobs]);
}
