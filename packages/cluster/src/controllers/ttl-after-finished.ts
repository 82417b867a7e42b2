import { Conflict, NotFound } from "pintle/client";
import type { WorkOutcome } from "pintle/internal/queue";
import { Job } from "pintle/kinds/batch/v1";
import { type ControllerContext, type ControlPlaneComponent, createQueueComponent } from "./component.ts";
import { getObjectKey, splitObjectKey } from "./shared/object-key.ts";

/** Starts the controller that deletes finished Jobs after their TTL. */
export function startTtlAfterFinishedController({ client, cache, clock, createWorkQueue }: ControllerContext): ControlPlaneComponent {
  const jobs = cache.watch(Job);
  const work = createWorkQueue({ clock, concurrency: 4, work: ({ key }) => sync(key) });
  jobs.addEventHandler(({ new: current }) => {
    if (current !== undefined && getExpiryTime(current) !== undefined) work.add(getObjectKey(current));
  });

  const sync = async (key: string): Promise<WorkOutcome | undefined> => {
    const { namespace, name } = splitObjectKey(key);
    const job = jobs.get({ name, namespace });
    const at = job && getExpiryTime(job);
    if (job === undefined || at === undefined || job.metadata.deletionTimestamp !== undefined) return undefined;
    if (at > clock.now()) return { type: "requeue", after: at - clock.now() };
    try {
      await client.delete(Job, { name, namespace }, { uid: job.metadata.uid, propagation: "Foreground" });
    } catch (error) {
      if (!(error instanceof NotFound) && !(error instanceof Conflict)) throw error;
    }
    return undefined;
  };
  return createQueueComponent("ttl-after-finished-controller", work, [jobs]);
}

/** Returns when a Job expires, in milliseconds since the epoch; undefined if it is not finished or has no TTL. */
export function getExpiryTime({ spec, status }: Job): number | undefined {
  const end = status.conditions?.find(
    ({ type, status: is }) => (type === "Complete" || type === "Failed") && is === "True",
  )?.lastTransitionTime;
  return spec.ttlSecondsAfterFinished === undefined || end === undefined
    ? undefined
    : Date.parse(end) + spec.ttlSecondsAfterFinished * 1000;
}
