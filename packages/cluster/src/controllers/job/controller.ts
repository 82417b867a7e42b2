import { allow, NotFound } from "pintle/client";
import { controller } from "pintle/controller";
import { Job, type JobStatus } from "pintle/kinds/batch/v1";
import { Pod } from "pintle/kinds/core/v1";
import { canonical } from "pintle/merge";
import { timestamp } from "../../api/index.ts";
import { claim, orphansOf } from "../claims.ts";
import { MANAGED } from "../managed.ts";
import { operated } from "../operated.ts";
import { controllerOf } from "../owner.ts";
import { type Part, type Plant, together } from "../part.ts";
import { isNamespaceGoing, podControl } from "../pod-control.ts";
import { selecting } from "../selecting.ts";
import { slowStart } from "../slow-start.ts";
import { manage } from "./manage.ts";
import { endingOf } from "./outcome.ts";
import { isGoing, isOver, isTracked, TRACKING } from "./pod-facts.ts";
import { podFeatures } from "./pod-of.ts";
import { releaseTracked, withoutTracking } from "./released.ts";
import { isFinished, isTrue, jobStatus } from "./status.ts";
import { tally } from "./tally.ts";

const OURS = "kubernetes.io/job-controller";

/** Runs pods to their end, as many as a job asks for, and counts each of them once. */
export function jobs(plant: Plant): Part {
  const { clock, cache } = plant;
  const views = [cache.watch(Pod), cache.watch(Job)] as const;
  const orphans = orphansOf(views[0]);
  const choosing = selecting(views[1], "jobs by selector", ({ spec }) => spec.selector);
  const made = controller(Job, {
    name: "job-controller",
    owns: [Pod],
    watches: {
      orphans: {
        kind: Pod,
        by: (pod) =>
          controllerOf(pod) === undefined ? choosing(pod.metadata.labels, pod.metadata.namespace).map(({ metadata }) => metadata) : [],
      },
    },
    needs: [allow(Pod, "create", "patch", "delete"), allow(Job, "status/update")],
    async reconcile({ object: job, owned, client, event, want }) {
      if ((job.spec.managedBy ?? OURS) !== OURS) return undefined;
      const pods = () => owned(Pod).all();
      if (isFinished(job)) return release(pods().filter(isTracked));
      await claim({
        client,
        kind: Pod,
        ownerKind: Job,
        owner: job,
        selector: job.spec.selector,
        owned: pods(),
        orphans: orphans(job.metadata.namespace),
        finalizer: TRACKING,
      });
      const now = clock.now();
      const counted = tally(job, pods());
      const ending = endingOf(job, pods(), counted, now);
      const control = podControl(client, Job, event);
      const { create, remove, later } =
        ending === undefined
          ? manage(job, pods(), counted, now)
          : { create: [], remove: pods().filter((pod) => !isOver(pod) && !isGoing(pod)), later: undefined };
      // Whom the job itself sends away while it goes on has not failed: nobody counts them.
      if (ending === undefined) await release(remove.filter(isTracked));
      for (const pod of remove) await control.delete(pod);
      const { failure } = await slowStart(create.length, (i) => control.create(job, job.spec.template, podFeatures(job, create[i]!)));
      if (isNamespaceGoing(failure)) return undefined;

      // First it is written down who ended, then they are let go, then they are counted: nobody is counted twice or lost.
      let live = job;
      if (counted.newSucceeded.length + counted.newFailed.length > 0) {
        const { succeeded = [], failed = [] } = job.status.uncountedTerminatedPods ?? {};
        const uncounted = { succeeded: [...succeeded, ...counted.newSucceeded], failed: [...failed, ...counted.newFailed] };
        live = await record({ ...job.status, startTime: job.status.startTime ?? timestamp(now), uncountedTerminatedPods: uncounted });
      }
      await release(counted.ended);
      const status = jobStatus(live, pods(), counted, ending, timestamp(clock.now()));
      if (canonical(clean(status)) !== canonical(live.status)) live = await record(clean(status));
      announce(job.status, live.status);
      if (failure !== undefined) throw failure;
      const due = [later, deadlineOf(live)]
        .filter((time): time is number => time !== undefined)
        .map((time) => Math.max(0, time - clock.now()));
      return due.length === 0 ? undefined : want({ requeueAfter: Math.min(...due) });

      function record(next: JobStatus): Promise<Job> {
        return client.status.replace(Job, { ...live, status: next }, MANAGED);
      }
      async function release(ended: readonly Pod[]): Promise<undefined> {
        for (const pod of ended) {
          try {
            await client.patch(Pod, pod.metadata, withoutTracking(pod), MANAGED);
          } catch (error) {
            if (!(error instanceof NotFound)) throw error;
          }
        }
      }
      function announce(before: JobStatus, after: JobStatus): void {
        const became = (type: string) => isTrue(after, type) && !isTrue(before, type);
        if (became("Suspended")) event("Suspended", "Job suspended");
        if (isTrue(before, "Suspended") && !isTrue(after, "Suspended")) event("Resumed", "Job resumed");
        if (became("Complete")) event("Completed", "Job completed");
        const failed = became("Failed") ? after.conditions?.find(({ type }) => type === "Failed") : undefined;
        if (failed !== undefined) event(failed.reason ?? "Failed", failed.message ?? "", { type: "Warning" });
      }
    },
  });
  return together("job-controller", [operated(made, plant, views), releaseTracked(plant)]);
}

function deadlineOf({ spec, status }: Job): number | undefined {
  const { activeDeadlineSeconds, suspend } = spec;
  if (activeDeadlineSeconds === undefined || suspend || status.startTime === undefined) return undefined;
  return Date.parse(status.startTime) + activeDeadlineSeconds * 1000;
}

/** Without fields that are not there. */
function clean(status: JobStatus): JobStatus {
  return Object.fromEntries(Object.entries(status).filter(([, value]) => value !== undefined)) as JobStatus;
}
