import { Conflict, NotFound, RequestError, type Scale } from "pintle/client";
import { canonicalJson, quantityValue } from "pintle/internal/merge";
import { createWorkQueue, type WorkOutcome } from "pintle/internal/queue";
import { LabelSelectorSyntaxError, matchesRequirements, parseLabelSelector } from "pintle/internal/selectors";
import type { AnyKind } from "pintle/kinds";
import { HorizontalPodAutoscaler, type HorizontalPodAutoscalerStatus, type MetricStatus } from "pintle/kinds/autoscaling/v2";
import { Pod } from "pintle/kinds/core/v1";
import { formatTimestamp } from "../../api/index.ts";
import { type ControllerContext, type ControlPlaneComponent, createQueueComponent } from "../component.ts";
import { FIELD_MANAGER } from "../field-manager.ts";
import { getObjectKey, splitObjectKey } from "../shared/object-key.ts";
import { getErrorMessage } from "../workload/pod-control.ts";
import { type ConditionList, createConditionList } from "./condition-list.ts";
import { type MetricFailure, type MetricProposal, proposeReplicas } from "./metric-proposal.ts";
import { MetricError } from "./pod-metrics.ts";
import type { Tolerances } from "./replica-calculator.ts";
import { createScalingHistory, limitReplicas, recordScaling, type ScalingHistory } from "./scaling-rules.ts";

const COMPONENT = "horizontal-pod-autoscaler";
const PERIOD = 15_000;
const DEFAULT_TOLERANCE = 0.1;
const MAX_RESCALE_ATTEMPTS = 5;

interface ScaleTarget {
  readonly kind: AnyKind;
  readonly scale: Scale;
}

/** The metrics of an autoscaler: what they propose together, or why nothing can be proposed. */
interface MetricsResult {
  readonly proposal: { readonly replicas: number; readonly name: string } | undefined;
  readonly statuses: readonly MetricStatus[] | undefined;
  /** The first problem of all metrics. */
  readonly failure: string | undefined;
}

/** Starts the controller that scales workloads by the usage of their pods, as metrics.k8s.io reports it. */
export function startHorizontalPodAutoscalerController({ client, cache, clock, events }: ControllerContext): ControlPlaneComponent {
  const autoscalers = cache.watch(HorizontalPodAutoscaler);
  const pods = cache.watch(Pod);
  const histories = new Map<string, ScalingHistory>();
  /** The selectors of all targets, to find pods that two autoscalers control. */
  const selectors = new Map<string, string>();
  const work = createWorkQueue({ clock, concurrency: 4, work: ({ key }) => sync(key) });
  autoscalers.addEventHandler(({ old, new: current }) => {
    const changed = current !== undefined && (old === undefined || canonicalJson(old.spec) !== canonicalJson(current.spec));
    if (changed) work.add(getObjectKey(current));
  });

  const sync = async (key: string): Promise<WorkOutcome | undefined> => {
    const autoscaler = autoscalers.get(splitObjectKey(key));
    if (autoscaler === undefined) {
      histories.delete(key);
      selectors.delete(key);
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
    const { spec, status } = autoscaler;
    const now = clock.now();
    const record = (type: "Normal" | "Warning", reason: string, message: string) =>
      events.record({ component: COMPONENT, kind: HorizontalPodAutoscaler, object: autoscaler, type, reason, message });
    const conditions = createConditionList(status.conditions, formatTimestamp(now));
    let target: ScaleTarget;
    try {
      target = await getScaleTarget(autoscaler);
    } catch (error) {
      const message = error instanceof MetricError ? error.message : getErrorMessage(error);
      record("Warning", "FailedGetScale", message);
      conditions.set(
        "AbleToScale",
        "False",
        "FailedGetScale",
        `the HPA controller was unable to get the target's current scale: ${message}`,
      );
      const { currentMetrics = null as never, desiredReplicas = 0 } = status;
      return { ...status, currentMetrics, desiredReplicas, conditions: conditions.conditions };
    }
    conditions.set("AbleToScale", "True", "SucceededGetScale", "the HPA controller was able to get the target's current scale");
    const current = target.scale.spec?.replicas ?? 0;
    const history = histories.get(key) ?? createScalingHistory(current, now);
    histories.set(key, history);
    const { minReplicas: min = 1, maxReplicas: max, behavior } = spec;
    const buildStatus = (
      desiredReplicas: number,
      currentMetrics: readonly MetricStatus[] | undefined,
      lastScaleTime = status.lastScaleTime,
    ) => ({
      ...(status.observedGeneration === undefined ? {} : { observedGeneration: status.observedGeneration }),
      ...(lastScaleTime === undefined ? {} : { lastScaleTime }),
      currentReplicas: current,
      desiredReplicas,
      currentMetrics: currentMetrics ?? (null as never),
      conditions: conditions.conditions,
    });

    let desired = current;
    let why = "";
    let statuses: readonly MetricStatus[] | undefined;
    if (current === 0) {
      conditions.set("ScalingActive", "False", "ScalingDisabled", "scaling is disabled since the replica count of the target is zero");
    } else if (current > max) {
      desired = max;
      why = "Current number of replicas above Spec.MaxReplicas";
    } else if (current < min) {
      desired = min;
      why = "Current number of replicas below Spec.MinReplicas";
    } else {
      const result = await evaluateMetrics(autoscaler, key, target.scale, conditions, record);
      statuses = result.statuses;
      if (result.proposal === undefined) {
        record("Warning", "FailedComputeMetricsReplicas", result.failure ?? "");
        return buildStatus(status.desiredReplicas ?? 0, statuses);
      }
      const { replicas: proposed, name } = result.proposal;
      if (proposed > current) why = `${name} above target`;
      if (proposed < current) why = "All metrics below target";
      const decision = limitReplicas({ current, proposed, min, max, behavior }, history, now);
      const { stabilized, limited } = decision;
      conditions.set("AbleToScale", "True", stabilized.reason, stabilized.message);
      conditions.set("ScalingLimited", limited.isLimited ? "True" : "False", limited.reason, limited.message);
      desired = decision.replicas;
    }
    if (desired === current) return buildStatus(current, statuses);
    try {
      await rescale(autoscaler, target, desired);
    } catch (error) {
      const message = getErrorMessage(error);
      record("Warning", "FailedRescale", `New size: ${desired}; reason: ${why}; error: ${message}`);
      conditions.set("AbleToScale", "False", "FailedUpdateScale", `the HPA controller was unable to update the target scale: ${message}`);
      return buildStatus(status.desiredReplicas ?? 0, statuses);
    }
    conditions.set("AbleToScale", "True", "SucceededRescale", `the HPA controller was able to update the target scale to ${desired}`);
    record("Normal", "SuccessfulRescale", `New size: ${desired}; reason: ${why}`);
    recordScaling(behavior, history, { from: current, to: desired, now });
    return buildStatus(desired, statuses, formatTimestamp(now));
  };

  type RecordEvent = (type: "Normal" | "Warning", reason: string, message: string) => void;

  const evaluateMetrics = async (
    autoscaler: HorizontalPodAutoscaler,
    key: string,
    scale: Scale,
    conditions: ConditionList,
    record: RecordEvent,
  ): Promise<MetricsResult> => {
    const { namespace } = autoscaler.metadata;
    const metrics = autoscaler.spec.metrics ?? [];
    const selector = scale.status.selector ?? "";
    let targeted: readonly Pod[];
    try {
      targeted = selectPods(key, namespace, selector);
    } catch (error) {
      if (!(error instanceof SelectorError)) throw error;
      record("Warning", error.reason, error.message);
      const isMissing = error.reason === "SelectorRequired";
      const message = isMissing ? "the HPA target's scale is missing a selector" : error.message;
      conditions.set("ScalingActive", "False", isMissing ? "InvalidSelector" : error.reason, message);
      return { proposal: undefined, statuses: undefined, failure: error.message };
    }
    const currentReplicas = scale.spec?.replicas ?? 0;
    const context = {
      client,
      namespace,
      selector,
      pods: targeted,
      currentReplicas,
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
    if (best === undefined || (first !== undefined && best.replicas < currentReplicas)) {
      if (first !== undefined) {
        conditions.set("ScalingActive", "False", first.reason, `the HPA was unable to compute the replica count: ${first.message}`);
      }
      return { proposal: undefined, statuses, failure };
    }
    const message = `the HPA was able to successfully calculate a replica count from ${best.name}`;
    conditions.set("ScalingActive", "True", "ValidMetricFound", message);
    return { proposal: best, statuses, failure };
  };

  /** Returns the pods of a selector. Throws `SelectorError` if another autoscaler controls them too. */
  const selectPods = (key: string, namespace: string, selector: string): readonly Pod[] => {
    if (selector === "") throw new SelectorError("SelectorRequired", "selector is required");
    const requirements = parseSelector(selector);
    selectors.set(key, selector);
    const selected = pods.list({ namespace }).filter(({ metadata }) => matchesRequirements(requirements, metadata.labels));
    const controlling = [...selectors].filter(
      ([other, text]) =>
        splitObjectKey(other).namespace === namespace &&
        selected.some(({ metadata }) => matchesRequirements(parseSelector(text), metadata.labels)),
    );
    if (controlling.length > 1) {
      const keys = controlling.map(([other]) => other).sort();
      throw new SelectorError("AmbiguousSelector", `pods by selector ${selector} are controlled by multiple HPAs: [${keys.join(" ")}]`);
    }
    return selected;
  };

  const getScaleTarget = async ({ spec, metadata: { namespace } }: HorizontalPodAutoscaler): Promise<ScaleTarget> => {
    const { apiVersion = "v1", kind: kindName, name } = spec.scaleTargetRef;
    const kind = (await findKind(apiVersion, kindName)) as never;
    return { kind, scale: await client.scale.get(kind, { name, namespace } as never) };
  };

  /** Finds a kind of a group in whatever version is served. */
  const findKind = async (apiVersion: string, kind: string): Promise<AnyKind> => {
    try {
      return (await client.discoverKind(apiVersion, kind)) as AnyKind;
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      const group = apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";
      const served = (await client.discoverKinds()).find((each) => each.group === group && each.kind === kind);
      if (served === undefined) throw new MetricError(`no matches for kind "${kind}" in group "${group}"`);
      return served as AnyKind;
    }
  };

  const rescale = async ({ spec, metadata: { namespace } }: HorizontalPodAutoscaler, { kind, scale }: ScaleTarget, replicas: number) => {
    const ref = { name: spec.scaleTargetRef.name, namespace } as never;
    for (let attempt = 1, latest = scale; ; attempt++) {
      try {
        await client.scale.replace(kind as never, ref, { ...latest, spec: { ...latest.spec, replicas } }, FIELD_MANAGER);
        return;
      } catch (error) {
        if (!(error instanceof Conflict) || attempt === MAX_RESCALE_ATTEMPTS) throw error;
        latest = await client.scale.get(kind as never, ref);
      }
    }
  };
  return createQueueComponent("horizontal-pod-autoscaler-controller", work, [autoscalers, pods]);
}

/** A target whose pods cannot be told. */
class SelectorError extends Error {
  override readonly name = "SelectorError";
  readonly reason: string;
  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}

function parseSelector(selector: string) {
  try {
    return parseLabelSelector(selector);
  } catch (error) {
    if (!(error instanceof LabelSelectorSyntaxError)) throw error;
    const message = `couldn't convert selector into a corresponding internal selector object: ${error.message}`;
    throw new SelectorError("InvalidSelector", message);
  }
}

function getTolerances({ spec: { behavior } }: HorizontalPodAutoscaler): Tolerances {
  const { scaleUp, scaleDown } = behavior ?? {};
  const toNumber = (tolerance: string | undefined) => (tolerance === undefined ? DEFAULT_TOLERANCE : Number(quantityValue(tolerance)));
  return { scaleUp: toNumber(scaleUp?.tolerance), scaleDown: toNumber(scaleDown?.tolerance) };
}

/** Whether two statuses are the same in Go, where a missing list is an empty one. */
function isSameStatus(a: HorizontalPodAutoscalerStatus, b: HorizontalPodAutoscalerStatus): boolean {
  const normalize = ({ currentMetrics, ...rest }: HorizontalPodAutoscalerStatus) =>
    canonicalJson({ ...rest, ...(currentMetrics?.length ? { currentMetrics } : {}) } as never);
  return normalize(a) === normalize(b);
}
