import type { Pod } from "pintle/kinds/core/v1";
import { MetricError, type PodMetric, type PodMetrics, toMilli } from "./pod-metrics.ts";

/** How far the usage may be from its target without a change, as a fraction of it. */
export interface Tolerances {
  readonly scaleUp: number;
  readonly scaleDown: number;
}

/** A proposed number of replicas and the usage that it is computed from, in thousandths per pod. */
export interface ReplicaProposal {
  readonly replicas: number;
  readonly averageValue: bigint;
  /** In percent of the request. */
  readonly utilization?: number;
}

interface CalculationInput {
  readonly pods: readonly Pod[];
  readonly metrics: PodMetrics;
  readonly resource: string;
  readonly currentReplicas: number;
  readonly tolerances: Tolerances;
  readonly now: number;
}

/** The time after its start in which a pod's CPU usage counts only once it was measured in the current state. */
const CPU_INITIALIZATION_PERIOD = 5 * 60_000;
/** A pod that became unready within this time after its start has never been ready. */
const INITIAL_READINESS_DELAY = 30_000;

/** Computes the replicas at which the pods use `target` percent of what they request. Pure. Throws `MetricError`. */
export function computeUtilizationReplicas(
  input: CalculationInput & { readonly target: number; readonly container: string | undefined },
): ReplicaProposal {
  const { pods, resource, container, target } = input;
  const groups = groupPods(input);
  const requests = new Map(pods.map((pod) => [pod.metadata.name, getRequest(pod, resource, container)]));
  const getUsage = (metrics: PodMetrics) => computeUtilization(metrics, requests, target);
  const usage = getUsage(groups.metrics);
  const whenMissing = (pod: string) => (requests.get(pod)! * BigInt(Math.max(100, target))) / 100n;
  const replicas = computeReplicas(input, groups, usage.ratio, (metrics) => getUsage(metrics).ratio, whenMissing);
  return { replicas, averageValue: usage.averageValue, utilization: usage.utilization };
}

/** Computes the replicas at which each pod uses `target` thousandths on average. Pure. Throws `MetricError`. */
export function computeValueReplicas(input: CalculationInput & { readonly target: bigint }): ReplicaProposal {
  const { target } = input;
  const groups = groupPods(input);
  const getAverage = (metrics: PodMetrics) => [...metrics.values()].reduce((sum, { value }) => sum + value, 0n) / BigInt(metrics.size);
  const averageValue = getAverage(groups.metrics);
  const getRatio = (metrics: PodMetrics) => Number(getAverage(metrics)) / Number(target);
  const replicas = computeReplicas(input, groups, Number(averageValue) / Number(target), getRatio, () => target);
  return { replicas, averageValue };
}

interface PodGroups {
  readonly readyPods: number;
  readonly unready: readonly string[];
  readonly missing: readonly string[];
  /** The metrics of ready pods. */
  readonly metrics: PodMetrics;
}

/** Sorts out the pods whose usage does not count: terminating, failed, pending, unready, or not measured. Throws if none is left. */
function groupPods({ pods, metrics, resource, now }: CalculationInput): PodGroups {
  if (pods.length === 0) throw new MetricError("no pods returned by selector while calculating replica count");
  const counted = new Map(metrics);
  const unready: string[] = [];
  const missing: string[] = [];
  let readyPods = 0;
  for (const pod of pods) {
    const { name, deletionTimestamp } = pod.metadata;
    const metric = metrics.get(name);
    if (deletionTimestamp !== undefined || pod.status.phase === "Failed") counted.delete(name);
    else if (pod.status.phase === "Pending" || (metric !== undefined && resource === "cpu" && isMeasuredUnready(pod, metric, now))) {
      counted.delete(name);
      unready.push(name);
    } else if (metric === undefined) missing.push(name);
    else readyPods++;
  }
  if (counted.size === 0) throw new MetricError("did not receive metrics for targeted pods (pods might be unready)");
  return { readyPods, unready, missing, metrics: counted };
}

function isMeasuredUnready({ status }: Pod, { timestamp, window }: PodMetric, now: number): boolean {
  const ready = status.conditions?.find(({ type }) => type === "Ready");
  if (ready === undefined || status.startTime === undefined) return true;
  const startedAt = Date.parse(status.startTime);
  const changedAt = Date.parse(ready.lastTransitionTime ?? status.startTime);
  if (startedAt + CPU_INITIALIZATION_PERIOD > now) return ready.status === "False" || timestamp < changedAt + window;
  return ready.status === "False" && startedAt + INITIAL_READINESS_DELAY > changedAt;
}

/** Pods without a metric count as idle before scaling up, and as busy as `whenMissing` before scaling down; unready ones as idle. */
function computeReplicas(
  { currentReplicas, tolerances }: CalculationInput,
  { readyPods, unready, missing, metrics }: PodGroups,
  ratio: number,
  getRatio: (metrics: PodMetrics) => number,
  whenMissing: (pod: string) => bigint,
): number {
  const scalesUpWithUnready = unready.length > 0 && ratio > 1;
  if (!scalesUpWithUnready && missing.length === 0) {
    return isWithin(tolerances, ratio) ? currentReplicas : Math.ceil(ratio * readyPods);
  }
  const assumed = new Map(metrics);
  const assume = (pod: string, value: bigint) => assumed.set(pod, { value, timestamp: 0, window: 0 });
  if (ratio !== 1) for (const pod of missing) assume(pod, ratio < 1 ? whenMissing(pod) : 0n);
  if (scalesUpWithUnready) for (const pod of unready) assume(pod, 0n);
  const assumedRatio = getRatio(assumed);
  const turnsAround = (ratio < 1 && assumedRatio > 1) || (ratio > 1 && assumedRatio < 1);
  if (isWithin(tolerances, assumedRatio) || turnsAround) return currentReplicas;
  const replicas = Math.ceil(assumedRatio * assumed.size);
  const contradicts = (assumedRatio < 1 && replicas > currentReplicas) || (assumedRatio > 1 && replicas < currentReplicas);
  return contradicts ? currentReplicas : replicas;
}

function isWithin({ scaleUp, scaleDown }: Tolerances, ratio: number): boolean {
  return 1 - scaleDown <= ratio && ratio <= 1 + scaleUp;
}

function computeUtilization(metrics: PodMetrics, requests: ReadonlyMap<string, bigint>, target: number) {
  let used = 0n;
  let requested = 0n;
  let count = 0n;
  for (const [pod, { value }] of metrics) {
    const request = requests.get(pod);
    if (request === undefined) continue;
    used += value;
    requested += request;
    count++;
  }
  if (requested === 0n) throw new MetricError("no metrics returned matched known pods");
  const utilization = Number((used * 100n) / requested);
  return { utilization, ratio: utilization / target, averageValue: used / count };
}

/** Returns what a pod, or one container of it, requests, in thousandths. Throws if a container requests nothing. */
function getRequest({ metadata, spec }: Pod, resource: string, container: string | undefined): bigint {
  const podLevel = spec.resources?.requests;
  if (container === undefined && podLevel !== undefined && Object.keys(podLevel).length > 0) {
    const request = podLevel[resource] ?? sumRequests(spec.containers, resource);
    if (request === undefined) throw new MetricError(`missing pod-level request for ${resource} in Pod ${metadata.name}`);
    return typeof request === "bigint" ? request : toMilli(request);
  }
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
  let sum = 0n;
  for (const { name, resources } of [...spec.containers, ...sidecars]) {
    if (container !== undefined && container !== name) continue;
    const request = resources?.requests?.[resource];
    if (request === undefined) throw new MetricError(`missing request for ${resource} in container ${name} of Pod ${metadata.name}`);
    sum += toMilli(request);
    if (container === name) return sum;
  }
  if (container !== undefined) throw new MetricError(`container ${container} not found in Pod ${metadata.name}`);
  return sum;
}

function sumRequests(containers: Pod["spec"]["containers"], resource: string): bigint | undefined {
  const requests = containers.flatMap(({ resources }) => resources?.requests?.[resource] ?? []);
  return requests.length === 0 ? undefined : requests.reduce((sum, request) => sum + toMilli(request), 0n);
}
