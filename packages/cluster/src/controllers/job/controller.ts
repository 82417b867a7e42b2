import { allow, NotFound } from "pintle/client";
import { controller } from "pintle/internal/controller";
import { canonicalJson } from "pintle/internal/merge";
import { Job, type JobStatus } from "pintle/kinds/batch/v1";
import { Pod } from "pintle/kinds/core/v1";
import { formatTimestamp } from "../../api/index.ts";
import { type ControllerContext, type ControlPlaneComponent, combineComponents } from "../component.ts";
import { startControllerComponent } from "../controller-component.ts";
import { FIELD_MANAGER } from "../field-manager.ts";
import { isPodFinished, isPodTerminating } from "../shared/pod-readiness.ts";
import { createChildClaims } from "../workload/child-claims.ts";
import { createPodControl, isNamespaceTerminating } from "../workload/pod-control.ts";
import { slowStartBatch } from "../workload/slow-start-batch.ts";
import { buildPodOverrides } from "./indexed-pod.ts";
import { hasTrackingFinalizer, TRACKING_FINALIZER } from "./job-pods.ts";
import { buildRemoveFinalizerPatch, startOrphanPodFinalizerComponent } from "./orphan-pod-finalizer.ts";
import { computeJobOutcome } from "./outcome.ts";
import { countJobPods } from "./pod-count.ts";
import { planJobPods } from "./pod-plan.ts";
import { computeJobStatus, hasTrueCondition, isJobFinished } from "./status.ts";

const JOB_CONTROLLER_NAME = "kubernetes.io/job-controller";

/** Starts the controller that runs the pods of Jobs to completion and counts each of them once. */
export function startJobController(context: ControllerContext): ControlPlaneComponent {
  const { clock, cache } = context;
  const claims = createChildClaims(cache, { owner: Job, child: Pod, finalizer: TRACKING_FINALIZER });
  const jobs = controller(Job, {
    name: "job-controller",
    owns: [Pod],
    watches: {
      orphans: claims.watch,
    },
    needs: [allow(Pod, "create", "patch", "delete"), allow(Job, "status/update")],
    async reconcile({ object: job, owned, client, event, want }) {
      if ((job.spec.managedBy ?? JOB_CONTROLLER_NAME) !== JOB_CONTROLLER_NAME) return undefined;
      const pods = () => owned(Pod).list();
      if (isJobFinished(job)) return removeFinalizers(pods().filter(hasTrackingFinalizer));
      await claims.claim(client, job, pods());
      const now = clock.now();
      const count = countJobPods(job, pods());
      const outcome = computeJobOutcome(job, pods(), count, now);
      const control = createPodControl(client, Job, event);
      const { create, remove, nextPodAt } =
        outcome === undefined
          ? planJobPods(job, pods(), count, now)
          : { create: [], remove: pods().filter((pod) => !isPodFinished(pod) && !isPodTerminating(pod)), nextPodAt: undefined };
      // Pods that the controller deletes while the Job continues have not failed and are not counted.
      if (outcome === undefined) await removeFinalizers(remove.filter(hasTrackingFinalizer));
      for (const pod of remove) await control.delete(pod);
      const { failure } = await slowStartBatch(create.length, (i) =>
        control.create(job, job.spec.template, buildPodOverrides(job, create[i]!)),
      );
      if (isNamespaceTerminating(failure)) return undefined;

      // First the uids of finished pods are recorded, then their finalizers removed, then the counts updated: no pod is counted twice or
      // lost.
      let live = job;
      if (count.newSucceeded.length + count.newFailed.length > 0) {
        const { succeeded = [], failed = [] } = job.status.uncountedTerminatedPods ?? {};
        const uncounted = { succeeded: [...succeeded, ...count.newSucceeded], failed: [...failed, ...count.newFailed] };
        live = await updateStatus({
          ...job.status,
          startTime: job.status.startTime ?? formatTimestamp(now),
          uncountedTerminatedPods: uncounted,
        });
      }
      await removeFinalizers(count.uncounted);
      const status = computeJobStatus(live, pods(), count, outcome, formatTimestamp(clock.now()));
      if (canonicalJson(omitUndefined(status)) !== canonicalJson(live.status)) live = await updateStatus(omitUndefined(status));
      recordEvents(job.status, live.status);
      if (failure !== undefined) throw failure;
      const delays = [nextPodAt, getActiveDeadline(live)]
        .filter((time): time is number => time !== undefined)
        .map((time) => Math.max(0, time - clock.now()));
      return delays.length === 0 ? undefined : want({ requeueAfter: Math.min(...delays) });

      function updateStatus(next: JobStatus): Promise<Job> {
        return client.status.replace(Job, { ...live, status: next }, FIELD_MANAGER);
      }
      async function removeFinalizers(ended: readonly Pod[]): Promise<undefined> {
        for (const pod of ended) {
          try {
            await client.patch(Pod, pod.metadata, buildRemoveFinalizerPatch(pod), FIELD_MANAGER);
          } catch (error) {
            if (!(error instanceof NotFound)) throw error;
          }
        }
      }
      function recordEvents(before: JobStatus, after: JobStatus): void {
        const becameTrue = (type: string) => hasTrueCondition(after, type) && !hasTrueCondition(before, type);
        if (becameTrue("Suspended")) event("Suspended", "Job suspended");
        if (hasTrueCondition(before, "Suspended") && !hasTrueCondition(after, "Suspended")) event("Resumed", "Job resumed");
        if (becameTrue("Complete")) event("Completed", "Job completed");
        const failed = becameTrue("Failed") ? after.conditions?.find(({ type }) => type === "Failed") : undefined;
        if (failed !== undefined) event(failed.reason ?? "Failed", failed.message ?? "", { type: "Warning" });
      }
    },
  });
  return combineComponents("job-controller", [
    startControllerComponent(jobs, context, claims.views),
    startOrphanPodFinalizerComponent(context),
  ]);
}

function getActiveDeadline({ spec, status }: Job): number | undefined {
  const { activeDeadlineSeconds, suspend } = spec;
  if (activeDeadlineSeconds === undefined || suspend || status.startTime === undefined) return undefined;
  return Date.parse(status.startTime) + activeDeadlineSeconds * 1000;
}

/** Removes properties that are undefined. */
function omitUndefined(status: JobStatus): JobStatus {
  return Object.fromEntries(Object.entries(status).filter(([, value]) => value !== undefined)) as JobStatus;
}
