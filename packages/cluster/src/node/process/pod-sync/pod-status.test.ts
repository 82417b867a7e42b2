import type { Pod } from "pintle/kinds/core/v1";
import { expect, test } from "vitest";
import type { ContainerState, PodState } from "./pod-state.ts";
import { recoverPodState } from "./pod-state.ts";
import { buildPodStatus } from "./pod-status.ts";

const NOW = Date.parse("2026-01-02T03:04:05Z");
const none: ContainerState = { runState: { phase: "none" }, restarts: 0 };
const up = (ready: boolean): ContainerState => ({
  runState: { phase: "running", id: "process://1", startedAt: NOW, started: true, ready, stopping: false },
  restarts: 0,
});
const exitedContainer = (exitCode: number, change: Partial<ContainerState> = {}): ContainerState => ({
  runState: {
    phase: "ended",
    termination: { id: "process://1", exitCode, reason: exitCode === 0 ? "Completed" : "Error", startedAt: NOW, finishedAt: NOW },
  },
  restarts: 0,
  ...change,
});
function pod(spec: object, metadata: object = {}, status: object = {}): Pod {
  const named = { name: "a", namespace: "default", uid: "u", generation: 1, ...metadata };
  return { metadata: named, spec: { containers: [{ name: "main", image: "i" }], ...spec }, status } as unknown as Pod;
}
const sidecar = { name: "side", restartPolicy: "Always" };
const going = { deletionTimestamp: "2026-01-01T00:00:00Z" };

interface Case {
  readonly name: string;
  readonly pod: Pod;
  readonly containers: Readonly<Record<string, ContainerState>>;
  readonly state?: Partial<PodState>;
  readonly phase: string;
  /** PodReadyToStartContainers, Initialized, Ready, ContainersReady: T or F. */
  readonly conditions: string;
  readonly why?: string;
}

const CASES: readonly Case[] = [
  {
    name: "before the first action",
    pod: pod({}),
    containers: {},
    state: { sandbox: "none" },
    phase: "Pending",
    conditions: "FTFF",
    why: "ContainersNotReady",
  },
  { name: "running", pod: pod({}), containers: { main: up(true) }, phase: "Running", conditions: "TTTT" },
  {
    name: "running, not ready",
    pod: pod({}),
    containers: { main: up(false) },
    phase: "Running",
    conditions: "TTFF",
    why: "ContainersNotReady",
  },
  {
    name: "running its init containers",
    pod: pod({ initContainers: [{ name: "i" }] }),
    containers: { i: up(false) },
    phase: "Pending",
    conditions: "TFFF",
  },
  {
    name: "failed init container",
    pod: pod({ restartPolicy: "Never", initContainers: [{ name: "i" }] }),
    containers: { i: exitedContainer(1) },
    phase: "Failed",
    conditions: "TFFF",
    why: "PodFailed",
  },
  { name: "waiting for a restart", pod: pod({}), containers: { main: exitedContainer(1) }, phase: "Running", conditions: "TTFF" },
  {
    name: "succeeded",
    pod: pod({ restartPolicy: "Never" }),
    containers: { main: exitedContainer(0) },
    state: { sandbox: "closed" },
    phase: "Succeeded",
    conditions: "FTFF",
    why: "PodCompleted",
  },
  {
    name: "one of two containers failed",
    pod: pod({ restartPolicy: "Never", containers: [{ name: "a" }, { name: "b" }] }),
    containers: { a: exitedContainer(0), b: exitedContainer(2) },
    phase: "Failed",
    conditions: "TTFF",
    why: "PodFailed",
  },
  {
    name: "finished, with a running sidecar",
    pod: pod({ restartPolicy: "Never", initContainers: [sidecar] }),
    containers: { side: up(true), main: exitedContainer(0) },
    phase: "Running",
    conditions: "TTFF",
  },
  {
    name: "deleted, containers succeeded",
    pod: pod({}, going),
    containers: { main: exitedContainer(0) },
    phase: "Succeeded",
    conditions: "TTFF",
  },
  {
    name: "deleted, containers killed",
    pod: pod({}, going),
    containers: { main: exitedContainer(137) },
    phase: "Failed",
    conditions: "TTFF",
  },
  {
    name: "deleted before it ran",
    pod: pod({}, going),
    containers: { main: none },
    state: { sandbox: "closed" },
    phase: "Failed",
    conditions: "FTFF",
  },
  {
    name: "past its deadline",
    pod: pod({}),
    containers: { main: exitedContainer(143) },
    state: { failure: { reason: "DeadlineExceeded", message: "m" } },
    phase: "Failed",
    conditions: "TTFF",
    why: "PodFailed",
  },
  {
    name: "ready, apart from its readiness gates",
    pod: pod({ readinessGates: [{ conditionType: "x/y" }] }),
    containers: { main: up(true) },
    phase: "Running",
    conditions: "TTFT",
    why: "ReadinessGatesNotReady",
  },
];

test.each(CASES)("$name: $phase", ({ pod: wanted, containers, state = {}, phase, conditions, why }) => {
  const status = buildPodStatus(wanted, { sandbox: "ready", containers, ...state }, { podIP: "10.0.0.2", hostIP: "10.0.0.1" }, NOW);
  expect(status.phase).toBe(phase);
  const types = ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady"];
  const found = types.map((type) => status.conditions?.find((each) => each.type === type)?.status.charAt(0)).join("");
  expect(found).toBe(conditions);
  if (why !== undefined) expect(status.conditions?.find(({ type }) => type === "Ready")?.reason).toBe(why);
  expect(status).toMatchObject({ podIP: "10.0.0.2", hostIP: "10.0.0.1", startTime: "2026-01-02T03:04:05Z" });
});

test("reports CrashLoopBackOff with the last termination during a back-off", () => {
  const main = exitedContainer(3, { restarts: 2, backOff: { delay: 160_000, setAt: NOW } });
  const status = buildPodStatus(pod({}), { sandbox: "ready", containers: { main } }, { hostIP: "h" }, NOW + 1);
  expect(status.containerStatuses?.[0]).toMatchObject({
    restartCount: 2,
    ready: false,
    started: false,
    state: { waiting: { reason: "CrashLoopBackOff", message: "back-off 2m40s restarting failed container=main pod=a_default(u)" } },
    lastState: { terminated: { exitCode: 3, reason: "Error", finishedAt: "2026-01-02T03:04:05Z" } },
  });
});

test("recovers running containers as terminated with reason Unknown, and runs init containers again", () => {
  const before = pod(
    { initContainers: [{ name: "i" }] },
    {},
    {
      phase: "Running",
      initContainerStatuses: [{ name: "i", restartCount: 0, imageID: "x", state: { terminated: { exitCode: 0, reason: "Completed" } } }],
      containerStatuses: [{ name: "main", restartCount: 4, imageID: "x", state: { running: { startedAt: "2026-01-01T00:00:00Z" } } }],
    },
  );
  const { containers, sandbox } = recoverPodState(before, NOW);
  expect(sandbox).toBe("none");
  expect(containers["i"]).toMatchObject({ runState: { phase: "none" }, restarts: 1 });
  expect(containers["main"]).toMatchObject({
    restarts: 4,
    runState: { phase: "ended", termination: { exitCode: 255, reason: "Unknown" } },
  });
});
