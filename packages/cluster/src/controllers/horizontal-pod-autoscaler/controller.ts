import { Conflict, NotFound } from "pintle/client";
import { canonicalJson, quantityValue } from "pintle/internal/merge";
import type { WorkOutcome } from "pintle/internal/queue";
import { HorizontalPodAutoscaler, type HorizontalPodAutoscalerStatus, type MetricStatus } from "pintle/kinds/autoscaling/v2";
import { Pod } from "pintle/kinds/core/v1";
import { formatTimestamp } from "../../api/index.ts";
import { type ControllerContext, type ControlPlaneComponent, createQueueComponent } from "../component.ts";
import { FIELD_MANAGER } from "../field-manager.ts";
import { getObjectKey, splitObjectKey } from "../shared/object-key.ts";
import { getErrorMessage } from "../workload/pod-control.ts";
import { type MetricFailure, type MetricProposal, proposeReplicas } from "./metric-proposal.ts";
import type { Tolerances } from "./replica-calculator.ts";
import { getScaleTarget, rescale, type ScaleTarget } from "./scale-target.ts";
import { createScalingHistory, limitReplicas, recordScaling, type ScalingHistory } from "./scaling-rules.ts";
import { buildStatus, createConditionList, isSameStatus, type RecordEvent, reportMissingScale, type ScalingPass } from "./status.ts";
import { createTargetPods, SelectorError } from "./target-pods.ts";

const COMPONENT = "horizontal-pod-autoscaler";
const PERIOD = 15_000;
const DEFAULT_TOLERANCE = 0.1;

/** The metrics of an autoscaler: what they propose together, or why nothing can be proposed. */
interface MetricsResult {
  readonly proposal: { readonly replicas: number; readonly name: string } | undefined;
  readonly statuses: readonly MetricStatus[] | undefined;
  /** The first problem of all metrics. */
  readonly failure: string | undefined;
}

/** How many replicas the target needs; undefined if that is not known. */
interface ScalingDecision {
  readonly desired: number | undefined;
  /** The reason in the Event. */
  readonly why: string;
  readonly statuses: readonly MetricStatus[] | undefined;
}

/** Starts the controller that scales workloads by the usage of their pods, as metrics.k8s.io reports it. */
export function startHorizontalPodAutoscalerController({
  client,
  cache,
  clock,
  createWorkQueue,
  events,
}: ControllerContext): ControlPlaneComponent {
  const autoscalers = cache.watch(HorizontalPodAutoscaler);
  const pods = cache.watch(Pod);
  const histories = new Map<string, ScalingHistory>();
  const targetPods = createTargetPods(pods);
  const work = createWorkQueue({ clock, concurrency: 4, work: ({ key }) => sync(key) });
  autoscalers.addEventHandler(({ old, new: current }) => {
    const changed = current !== undefined && (old === undefined || canonicalJson(old.spec) !== canonicalJson(current.spec));
    if (changed) work.add(getObjectKey(current));
  });

  const sync = async (key: string): Promise<WorkOutcome | undefined> => {
    const autoscaler = autoscalers.get(splitObjectKey(key));
    if (autoscaler === undefined) {
      histories.delete(key);
      targetPods.forget(key);
      return undefined;
    }
    const status = await reconcile(autoscaler, key);
    if (!isSameStatus(status, autoscaler.status)) {
      try {
        await client.status.replace(HorizontalPodAutoscaler, { ...autoscaler, status }, FIELD_MANAGER);
      } catch (error) {
        // Another writer was faster, or the autoscaler is gone: the next period sees its current state.
        if (!(error instanceof NotFound || error instanceof Conflict)) throw error;
      }
    }
    return { type: "requeue", after: PERIOD };
  };

  const reconcile = async (autoscaler: HorizontalPodAutoscaler, key: string): Promise<HorizontalPodAutoscalerStatus> => {
    const now = clock.now();
    const record: RecordEvent = (type, reason, message) =>
      events.record({ component: COMPONENT, kind: HorizontalPodAutoscaler, object: autoscaler, type, reason, message });
    const conditions = createConditionList(autoscaler.status.conditions, formatTimestamp(now));
    let target: ScaleTarget;
    try {
      target = await getScaleTarget(client, autoscaler);
    } catch (error) {
      return reportMissingScale(autoscaler, error, conditions, record);
    }
    conditions.set("AbleToScale", "True", "SucceededGetScale", "the HPA controller was able to get the target's current scale");
    const current = target.scale.spec?.replicas ?? 0;
    const history = histories.get(key) ?? createScalingHistory(current, now);
    histories.set(key, history);
    const pass: ScalingPass = { autoscaler, key, target, current, history, now, conditions, record };
    const decision = await decideReplicas(pass);
    if (decision.desired === undefined) return buildStatus(pass, autoscaler.status.desiredReplicas ?? 0, decision.statuses);
    if (decision.desired === current) return buildStatus(pass, current, decision.statuses);
    return scaleTarget(pass, decision.desired, decision);
  };

  /** Decides how many replicas the target needs: undefined if no metric could be read. Sets the conditions about it. */
  const decideReplicas = async (pass: ScalingPass): Promise<ScalingDecision> => {
    const { autoscaler, current, history, now, conditions, record } = pass;
    const { minReplicas: min = 1, maxReplicas: max, behavior } = autoscaler.spec;
    if (current === 0) {
      conditions.set("ScalingActive", "False", "ScalingDisabled", "scaling is disabled since the replica count of the target is zero");
      return { desired: current, why: "", statuses: undefined };
    }
    if (current > max) return { desired: max, why: "Current number of replicas above Spec.MaxReplicas", statuses: undefined };
    if (current < min) return { desired: min, why: "Current number of replicas below Spec.MinReplicas", statuses: undefined };
    const { proposal, statuses, failure = "" } = await evaluateMetrics(pass);
    if (proposal === undefined) {
      record("Warning", "FailedComputeMetricsReplicas", failure);
      return { desired: undefined, why: "", statuses };
    }
    const { replicas: proposed, name } = proposal;
    const why = proposed > current ? `${name} above target` : proposed < current ? "All metrics below target" : "";
    const { replicas, stabilized, limited } = limitReplicas({ current, proposed, min, max, behavior }, history, now);
    conditions.set("AbleToScale", "True", stabilized.reason, stabilized.message);
    conditions.set("ScalingLimited", limited.isLimited ? "True" : "False", limited.reason, limited.message);
    return { desired: replicas, why, statuses };
  };

  /** Writes the scale of the target. Returns the status that reports it. */
  const scaleTarget = async (pass: ScalingPass, desired: number, { why, statuses }: ScalingDecision) => {
    const { autoscaler, target, current, history, now, conditions, record } = pass;
    try {
      await rescale(client, autoscaler, target, desired);
    } catch (error) {
      const message = getErrorMessage(error);
      record("Warning", "FailedRescale", `New size: ${desired}; reason: ${why}; error: ${message}`);
      conditions.set("AbleToScale", "False", "FailedUpdateScale", `the HPA controller was unable to update the target scale: ${message}`);
      return buildStatus(pass, autoscaler.status.desiredReplicas ?? 0, statuses);
    }
    conditions.set("AbleToScale", "True", "SucceededRescale", `the HPA controller was able to update the target scale to ${desired}`);
    record("Normal", "SuccessfulRescale", `New size: ${desired}; reason: ${why}`);
    recordScaling(autoscaler.spec.behavior, history, { from: current, to: desired, now });
    return buildStatus(pass, desired, statuses, formatTimestamp(now));
  };

  const evaluateMetrics = async ({ autoscaler, key, target, current, conditions, record }: ScalingPass): Promise<MetricsResult> => {
    const { namespace } = autoscaler.metadata;
    const metrics = autoscaler.spec.metrics ?? [];
    const selector = target.scale.status.selector ?? "";
    let targeted: readonly Pod[];
    try {
      targeted = targetPods.select(key, namespace, selector);
    } catch (error) {
      if (!(error instanceof SelectorError)) throw error;
      record("Warning", error.reason, error.message);
      const isMissing = error.reason === "SelectorRequired";
      const message = isMissing ? "the HPA target's scale is missing a selector" : error.message;
      conditions.set("ScalingActive", "False", isMissing ? "InvalidSelector" : error.reason, message);
      return { proposal: undefined, statuses: undefined, failure: error.message };
    }
    const context = {
      client,
      namespace,
      selector,
      pods: targeted,
      currentReplicas: current,
      tolerances: getTolerances(autoscaler),
      now: clock.now(),
    };
    const results: (MetricProposal | MetricFailure)[] = [];
    for (const metric of metrics) {
      const result = await proposeReplicas(metric, context);
      if ("reason" in result) record("Warning", result.reason, result.message);
      results.push(result);
    }
    const proposals = results.filter((result) => "replicas" in result);
    const failures = results.filter((result) => "reason" in result);
    const statuses = results.map((result) => ("status" in result ? result.status : ({ type: "" } as unknown as MetricStatus)));
    const [first] = failures;
    const failure = first && `invalid metrics (${failures.length} invalid out of ${metrics.length}), first error is: ${first.summary}`;
    const [best] = [...proposals].sort((a, b) => b.replicas - a.replicas);
    // With a metric missing, the workload may be needed: it is not scaled down.
    if (best === undefined || (first !== undefined && best.replicas < current)) {
      if (first !== undefined) {
        conditions.set("ScalingActive", "False", first.reason, `the HPA was unable to compute the replica count: ${first.message}`);
      }
      return { proposal: undefined, statuses, failure };
    }
    const message = `the HPA was able to successfully calculate a replica count from ${best.name}`;
    conditions.set("ScalingActive", "True", "ValidMetricFound", message);
    return { proposal: best, statuses, failure };
  };

  return createQueueComponent("horizontal-pod-autoscaler-controller", work, [autoscalers, pods]);
}

function getTolerances({ spec: { behavior } }: HorizontalPodAutoscaler): Tolerances {
  const { scaleUp, scaleDown } = behavior ?? {};
  const toNumber = (tolerance: string | undefined) => (tolerance === undefined ? DEFAULT_TOLERANCE : Number(quantityValue(tolerance)));
  return { scaleUp: toNumber(scaleUp?.tolerance), scaleDown: toNumber(scaleDown?.tolerance) };
}
