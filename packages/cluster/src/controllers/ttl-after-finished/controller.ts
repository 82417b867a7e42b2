import { Conflict, NotFound } from "pintle/client";
import { Job } from "pintle/kinds/batch/v1";
import { type Outcome, queue } from "pintle/queue";
import { type Part, type Plant, queued } from "../part.ts";

/** Deletes finished jobs when their time is over. */
export function ttlAfterFinished({ client, cache, clock }: Plant): Part {
  const jobs = cache.watch(Job);
  const work = queue({ clock, concurrency: 4, work: ({ key }) => attend(key) });
  jobs.on(({ new: seen }) => {
    if (seen !== undefined && expiryOf(seen) !== undefined) work.add(`${seen.metadata.namespace}/${seen.metadata.name}`);
  });

  const attend = async (key: string): Promise<Outcome | undefined> => {
    const [namespace = "", name = ""] = key.split("/");
    const job = jobs.get({ name, namespace });
    const at = job && expiryOf(job);
    if (job === undefined || at === undefined || job.metadata.deletionTimestamp !== undefined) return undefined;
    if (at > clock.now()) return { type: "again", after: at - clock.now() };
    try {
      await client.delete(Job, { name, namespace }, { uid: job.metadata.uid, propagation: "Foreground" });
    } catch (error) {
      if (!(error instanceof NotFound) && !(error instanceof Conflict)) throw error;
    }
    return undefined;
  };
  return queued("ttl-after-finished-controller", work, [jobs]);
}

/** Milliseconds since the epoch; undefined for a job that is not finished or stays. */
export function expiryOf({ spec, status }: Job): number | undefined {
  const end = status.conditions?.find(
    ({ type, status: is }) => (type === "Complete" || type === "Failed") && is === "True",
  )?.lastTransitionTime;
  return spec.ttlSecondsAfterFinished === undefined || end === undefined
    ? undefined
    : Date.parse(end) + spec.ttlSecondsAfterFinished * 1000;
}
