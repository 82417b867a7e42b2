import type { Pod } from "pintle/kinds/core/v1";
import { describe, expect, test } from "vitest";
import type { PodMetric } from "./pod-metrics.ts";
import { computeUtilizationReplicas, computeValueReplicas } from "./replica-calculator.ts";

const HOUR = 3_600_000;
const now = Date.parse("2026-01-01T12:00:00Z");
const time = (at: number) => new Date(at).toISOString();
const tolerances = { scaleUp: 0.1, scaleDown: 0.1 };

interface PodOptions {
  readonly phase?: string;
  readonly ready?: "True" | "False";
  readonly request?: string | undefined;
  readonly startedAt?: number;
  readonly readySince?: number;
  readonly deletionTimestamp?: string;
}
function pod(name: string, options: PodOptions = {}): Pod {
  const { phase = "Running", ready = "True", startedAt = now - HOUR, readySince = startedAt, deletionTimestamp } = options;
  const request = "request" in options ? options.request : "100m";
  return {
    metadata: { name, namespace: "default", ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }) },
    spec: { containers: [{ name: "main", resources: request === undefined ? {} : { requests: { cpu: request } } }] },
    status: { phase, startTime: time(startedAt), conditions: [{ type: "Ready", status: ready, lastTransitionTime: time(readySince) }] },
  } as unknown as Pod;
}
const metrics = (values: Readonly<Record<string, number>>) =>
  new Map<string, PodMetric>(
    Object.entries(values).map(([name, value]) => [name, { value: BigInt(value), timestamp: now, window: 10_000 }]),
  );
const utilization = (pods: readonly Pod[], usage: Readonly<Record<string, number>>, target = 50, currentReplicas = pods.length) =>
  computeUtilizationReplicas({
    pods,
    metrics: metrics(usage),
    resource: "cpu",
    container: undefined,
    target,
    currentReplicas,
    tolerances,
    now,
  });

describe("utilization", () => {
  test("is the usage of all pods in percent of their requests", () => {
    expect(utilization([pod("a"), pod("b")], { a: 100, b: 50 })).toEqual({ replicas: 3, utilization: 75, averageValue: 75n });
  });

  test("within the tolerance changes nothing", () => {
    expect(utilization([pod("a"), pod("b")], { a: 55, b: 54 }).replicas).toBe(2);
  });

  test("of pods without a metric is nothing before scaling up, and their request before scaling down", () => {
    expect(utilization([pod("a"), pod("b")], { a: 200 }).replicas).toBe(4);
    expect(utilization([pod("a"), pod("b"), pod("c")], { a: 10, b: 10 }).replicas).toBe(3);
  });

  test("of unready pods counts as nothing before scaling up", () => {
    expect(utilization([pod("a"), pod("b", { ready: "False", readySince: now - HOUR + 1000 })], { a: 120, b: 0 }).replicas).toBe(3);
  });

  test("of a pod that became ready after its measurement began does not count", () => {
    const fresh = pod("a", { startedAt: now - 30_000, readySince: now - 5_000 });
    expect(() => utilization([fresh], { a: 100 })).toThrow("did not receive metrics for targeted pods (pods might be unready)");
  });

  test("of terminating and failed pods does not count", () => {
    const pods = [pod("a"), pod("b", { deletionTimestamp: time(now) }), pod("c", { phase: "Failed" })];
    expect(utilization(pods, { a: 100, b: 900, c: 900 })).toMatchObject({ replicas: 2, utilization: 100 });
  });

  test("cannot be computed without requests, or without pods", () => {
    expect(() => utilization([pod("a", { request: undefined })], { a: 1 })).toThrow("missing request for cpu in container main of Pod a");
    expect(() => utilization([], { a: 1 })).toThrow("no pods returned by selector while calculating replica count");
  });
});

test("an average value is compared with the usage per pod", () => {
  const input = { pods: [pod("a"), pod("b")], resource: "memory", currentReplicas: 2, tolerances, now };
  expect(computeValueReplicas({ ...input, metrics: metrics({ a: 300, b: 100 }), target: 100n })).toEqual({
    replicas: 4,
    averageValue: 200n,
  });
  expect(computeValueReplicas({ ...input, metrics: metrics({ a: 300 }), target: 100n }).replicas).toBe(3);
});
