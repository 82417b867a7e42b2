import type { Patch } from "pintle/client";
import { Conflict, NotFound } from "pintle/client";
import { Job } from "pintle/kinds/batch/v1";
import { Pod } from "pintle/kinds/core/v1";
import { queue } from "pintle/queue";
import { MANAGED } from "../managed.ts";
import { controllerOf } from "../owner.ts";
import { type Part, type Plant, queued } from "../part.ts";
import { isTracked, TRACKING } from "./pod-facts.ts";

export function withoutTracking({ metadata: { uid } }: Pod): Patch {
  return { strategic: { metadata: { uid, "$deleteFromPrimitiveList/finalizers": [TRACKING] } } };
}

/** Lets go of pods whose job is gone, or going: nobody counts them any more. */
export function releaseTracked({ client, cache, clock }: Plant): Part {
  const pods = cache.watch(Pod);
  const jobs = cache.watch(Job);
  const work = queue({ clock, concurrency: 4, work: ({ key }) => attend(key) });
  const wake = (pod: Pod) => work.add(`${pod.metadata.namespace}/${pod.metadata.name}`);
  pods.on(({ new: seen }) => {
    if (seen !== undefined && isTracked(seen)) wake(seen);
  });
  jobs.on(({ old, new: seen }) => {
    const job = (seen ?? old)!;
    if (seen !== undefined && seen.metadata.deletionTimestamp === undefined) return;
    if (pods.isSynced) for (const pod of pods.owned(job.metadata.uid)) wake(pod);
  });

  const attend = async (key: string): Promise<undefined> => {
    const [namespace = "", name = ""] = key.split("/");
    const pod = pods.get({ name, namespace });
    if (pod === undefined || !isTracked(pod)) return;
    const owner = controllerOf(pod);
    const job = owner?.kind === "Job" ? jobs.get({ name: owner.name, namespace }) : undefined;
    if (job !== undefined && job.metadata.uid === owner?.uid && job.metadata.deletionTimestamp === undefined) return;
    try {
      await client.patch(Pod, { name, namespace }, withoutTracking(pod), MANAGED);
    } catch (error) {
      if (!(error instanceof NotFound) && !(error instanceof Conflict)) throw error;
    }
  };
  return queued("job pods", work, [pods, jobs]);
}
