import type { Pod } from "pintle/kinds/core/v1";
import { expect, test } from "vitest";
import { getRestartTime, increaseBackOff } from "./back-off.ts";
import { computePodActions, type PodAction } from "./pod-actions.ts";
import type { ContainerRunState, ContainerState, PodState } from "./pod-state.ts";

const NOW = 1_000_000;

function pod(spec: object, metadata: object = {}, status: object = {}): Pod {
  const named = { name: "a", namespace: "default", uid: "u", generation: 1, ...metadata };
  return { metadata: named, spec: { containers: [{ name: "main" }], ...spec }, status } as unknown as Pod;
}
const none: ContainerState = { runState: { phase: "none" }, restarts: 0 };
const up = (change: Partial<Extract<ContainerRunState, { phase: "running" }>> = {}): ContainerState => ({
  runState: { phase: "running", id: "x", startedAt: 0, started: true, ready: true, stopping: false, ...change },
  restarts: 0,
});
const exitedContainer = (exitCode: number, change: Partial<ContainerState> = {}): ContainerState => ({
  runState: { phase: "ended", termination: { id: "x", exitCode, reason: "", startedAt: 0, finishedAt: NOW } },
  restarts: 0,
  ...change,
});
const formatActions = (actions: readonly PodAction[]) =>
  actions.map((each) => ("container" in each ? `${each.type} ${each.container.name}` : each.type));
const sidecar = { name: "side", restartPolicy: "Always" };

const CASES: readonly {
  readonly name: string;
  readonly pod: Pod;
  readonly containers?: Readonly<Record<string, ContainerState>>;
  readonly state?: Partial<PodState>;
  readonly actions: readonly string[];
  readonly wakeAt?: number;
}[] = [
  { name: "creates the sandbox of a new pod first", pod: pod({}), state: { sandbox: "none" }, actions: ["createSandbox"] },
  {
    name: "starts all containers once the sandbox is ready",
    pod: pod({ containers: [{ name: "a" }, { name: "b" }] }),
    actions: ["start a", "start b"],
  },
  { name: "starts init containers one at a time", pod: pod({ initContainers: [{ name: "i" }, { name: "j" }] }), actions: ["start i"] },
  {
    name: "starts the next init container when the previous one succeeded",
    pod: pod({ initContainers: [{ name: "i" }, { name: "j" }] }),
    containers: { i: exitedContainer(0) },
    actions: ["start j"],
  },
  {
    name: "restarts a failed init container",
    pod: pod({ initContainers: [{ name: "i" }] }),
    containers: { i: exitedContainer(1) },
    actions: ["start i"],
  },
  {
    name: "fails the pod when an init container fails with restartPolicy Never",
    pod: pod({ restartPolicy: "Never", initContainers: [{ name: "i" }] }),
    containers: { i: exitedContainer(1) },
    actions: ["closeSandbox"],
  },
  {
    name: "waits for a sidecar to start",
    pod: pod({ initContainers: [sidecar, { name: "i" }] }),
    containers: { side: up({ started: false }) },
    actions: [],
  },
  {
    name: "starts the next init container beside a running sidecar",
    pod: pod({ initContainers: [sidecar, { name: "i" }] }),
    containers: { side: up() },
    actions: ["start i"],
  },
  {
    name: "restarts a sidecar that exited while the containers run",
    pod: pod({ initContainers: [sidecar] }),
    containers: { side: exitedContainer(0), main: up() },
    actions: ["start side"],
  },
  { name: "restarts a container that exited", pod: pod({}), containers: { main: exitedContainer(0) }, actions: ["start main"] },
  {
    name: "waits for the back-off before a restart",
    pod: pod({}),
    containers: { main: exitedContainer(1, { backOff: { delay: 10_000, setAt: NOW - 5000 } }) },
    actions: [],
    wakeAt: NOW + 10_000,
  },
  {
    name: "leaves succeeded containers alone with OnFailure",
    pod: pod({ restartPolicy: "OnFailure", containers: [{ name: "a" }, { name: "b" }] }),
    containers: { a: exitedContainer(0), b: exitedContainer(1) },
    actions: ["start b"],
  },
  {
    name: "stops the sidecars when all containers have finished",
    pod: pod({ restartPolicy: "Never", initContainers: [sidecar] }),
    containers: { side: up(), main: exitedContainer(0) },
    actions: ["stop side"],
  },
  {
    name: "closes the sandbox when the sidecars have stopped",
    pod: pod({ restartPolicy: "Never", initContainers: [sidecar] }),
    containers: { side: exitedContainer(0), main: exitedContainer(0) },
    actions: ["closeSandbox"],
  },
  {
    name: "stops the containers of a deleted pod before its sidecars",
    pod: pod({ initContainers: [sidecar] }, { deletionTimestamp: "2026-01-01T00:00:00Z" }),
    containers: { side: up(), main: up() },
    actions: ["stop main"],
  },
  {
    name: "stops the sidecars in reverse order",
    pod: pod({ initContainers: [sidecar, { ...sidecar, name: "two" }] }, { deletionTimestamp: "2026-01-01T00:00:00Z" }),
    containers: { side: up(), two: up(), main: exitedContainer(0) },
    actions: ["stop two"],
  },
  {
    name: "waits for containers that are being stopped",
    pod: pod({}, { deletionTimestamp: "2026-01-01T00:00:00Z" }),
    containers: { main: up({ stopping: true }) },
    actions: [],
  },
  {
    name: "retries a blocked container at its time",
    pod: pod({}),
    containers: { main: { runState: { phase: "blocked", reason: "ErrImagePull", message: "", retryAt: NOW + 5 }, restarts: 0 } },
    actions: [],
    wakeAt: NOW + 5,
  },
  {
    name: "fails a pod after its active deadline",
    pod: pod({ activeDeadlineSeconds: 1 }, {}, { startTime: new Date(NOW - 2000).toISOString() }),
    containers: { main: up() },
    actions: ["fail"],
  },
  {
    name: "does nothing for a finished pod",
    pod: pod({}, {}, { phase: "Succeeded" }),
    state: { sandbox: "closed" },
    containers: { main: none },
    actions: [],
  },
];

test.each(CASES)("$name", ({ pod: wanted, containers = {}, state = {}, actions, wakeAt }) => {
  const found = computePodActions(wanted, { sandbox: "ready", containers, ...state }, NOW);
  expect(formatActions(found.actions)).toEqual(actions);
  expect(found.requeueAt).toBe(wakeAt);
});

test("doubles the back-off from ten seconds to five minutes, and resets it after ten", () => {
  const delays: number[] = [];
  let backOff = increaseBackOff(undefined, 0);
  for (let n = 0; n < 7; n++) {
    delays.push(backOff.delay / 1000);
    backOff = increaseBackOff(backOff, 0);
  }
  expect(delays).toEqual([10, 20, 40, 80, 160, 300, 300]);
  expect(getRestartTime(undefined, 7)).toBe(7);
  expect(getRestartTime({ delay: 300_000, setAt: 0 }, 600_001)).toBe(600_001);
  expect(increaseBackOff({ delay: 300_000, setAt: 0 }, 600_001).delay).toBe(10_000);
});
