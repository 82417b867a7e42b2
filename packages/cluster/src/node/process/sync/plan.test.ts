import type { Pod } from "pintle/kinds/core/v1";
import { expect, test } from "vitest";
import { longer, restartAt } from "./back-off.ts";
import { type Action, plan } from "./plan.ts";
import type { ContainerState, PodState, Standing } from "./state.ts";

const NOW = 1_000_000;

function pod(spec: object, metadata: object = {}, status: object = {}): Pod {
  const named = { name: "a", namespace: "default", uid: "u", generation: 1, ...metadata };
  return { metadata: named, spec: { containers: [{ name: "main" }], ...spec }, status } as unknown as Pod;
}
const none: ContainerState = { standing: { at: "none" }, restarts: 0 };
const up = (change: Partial<Extract<Standing, { at: "running" }>> = {}): ContainerState => ({
  standing: { at: "running", id: "x", startedAt: 0, started: true, ready: true, stopping: false, ...change },
  restarts: 0,
});
const ended = (exitCode: number, change: Partial<ContainerState> = {}): ContainerState => ({
  standing: { at: "ended", ended: { id: "x", exitCode, reason: "", startedAt: 0, finishedAt: NOW } },
  restarts: 0,
  ...change,
});
const shown = (actions: readonly Action[]) => actions.map((each) => ("container" in each ? `${each.do} ${each.container.name}` : each.do));
const sidecar = { name: "side", restartPolicy: "Always" };

const CASES: readonly {
  readonly name: string;
  readonly pod: Pod;
  readonly containers?: Readonly<Record<string, ContainerState>>;
  readonly state?: Partial<PodState>;
  readonly actions: readonly string[];
  readonly wakeAt?: number;
}[] = [
  { name: "a new pod gets its sandbox first", pod: pod({}), state: { sandbox: "none" }, actions: ["sandbox"] },
  {
    name: "and then its containers, all at once",
    pod: pod({ containers: [{ name: "a" }, { name: "b" }] }),
    actions: ["start a", "start b"],
  },
  { name: "init containers come first, one at a time", pod: pod({ initContainers: [{ name: "i" }, { name: "j" }] }), actions: ["start i"] },
  {
    name: "the next one when the one before has succeeded",
    pod: pod({ initContainers: [{ name: "i" }, { name: "j" }] }),
    containers: { i: ended(0) },
    actions: ["start j"],
  },
  {
    name: "one that failed is tried again",
    pod: pod({ initContainers: [{ name: "i" }] }),
    containers: { i: ended(1) },
    actions: ["start i"],
  },
  {
    name: "or fails the pod, where nothing is tried twice",
    pod: pod({ restartPolicy: "Never", initContainers: [{ name: "i" }] }),
    containers: { i: ended(1) },
    actions: ["finish"],
  },
  {
    name: "a sidecar holds up the others until it has started",
    pod: pod({ initContainers: [sidecar, { name: "i" }] }),
    containers: { side: up({ started: false }) },
    actions: [],
  },
  {
    name: "and goes on beside them",
    pod: pod({ initContainers: [sidecar, { name: "i" }] }),
    containers: { side: up() },
    actions: ["start i"],
  },
  {
    name: "a sidecar that ends is started again, and harms nobody",
    pod: pod({ initContainers: [sidecar] }),
    containers: { side: ended(0), main: up() },
    actions: ["start side"],
  },
  { name: "a container that ends is started again", pod: pod({}), containers: { main: ended(0) }, actions: ["start main"] },
  {
    name: "but not before its back-off is over",
    pod: pod({}),
    containers: { main: ended(1, { backOff: { delay: 10_000, setAt: NOW - 5000 } }) },
    actions: [],
    wakeAt: NOW + 10_000,
  },
  {
    name: "OnFailure leaves alone what succeeded",
    pod: pod({ restartPolicy: "OnFailure", containers: [{ name: "a" }, { name: "b" }] }),
    containers: { a: ended(0), b: ended(1) },
    actions: ["start b"],
  },
  {
    name: "a pod whose containers are through ends its sidecars",
    pod: pod({ restartPolicy: "Never", initContainers: [sidecar] }),
    containers: { side: up(), main: ended(0) },
    actions: ["stop side"],
  },
  {
    name: "and then its sandbox",
    pod: pod({ restartPolicy: "Never", initContainers: [sidecar] }),
    containers: { side: ended(0), main: ended(0) },
    actions: ["finish"],
  },
  {
    name: "a pod that is deleted ends its containers before its sidecars",
    pod: pod({ initContainers: [sidecar] }, { deletionTimestamp: "2026-01-01T00:00:00Z" }),
    containers: { side: up(), main: up() },
    actions: ["stop main"],
  },
  {
    name: "the last sidecar first",
    pod: pod({ initContainers: [sidecar, { ...sidecar, name: "two" }] }, { deletionTimestamp: "2026-01-01T00:00:00Z" }),
    containers: { side: up(), two: up(), main: ended(0) },
    actions: ["stop two"],
  },
  {
    name: "and waits for what is being stopped",
    pod: pod({}, { deletionTimestamp: "2026-01-01T00:00:00Z" }),
    containers: { main: up({ stopping: true }) },
    actions: [],
  },
  {
    name: "what cannot be made is tried again at its time",
    pod: pod({}),
    containers: { main: { standing: { at: "blocked", reason: "ErrImagePull", message: "", retryAt: NOW + 5 }, restarts: 0 } },
    actions: [],
    wakeAt: NOW + 5,
  },
  {
    name: "a pod that was active for too long fails",
    pod: pod({ activeDeadlineSeconds: 1 }, {}, { startTime: new Date(NOW - 2000).toISOString() }),
    containers: { main: up() },
    actions: ["fail"],
  },
  {
    name: "a pod that is over stays over",
    pod: pod({}, {}, { phase: "Succeeded" }),
    state: { sandbox: "gone" },
    containers: { main: none },
    actions: [],
  },
];

test.each(CASES)("$name", ({ pod: wanted, containers = {}, state = {}, actions, wakeAt }) => {
  const found = plan(wanted, { sandbox: "ready", containers, ...state }, NOW);
  expect(shown(found.actions)).toEqual(actions);
  expect(found.wakeAt).toBe(wakeAt);
});

test("a back-off doubles from ten seconds to five minutes, and is forgotten after ten", () => {
  const delays: number[] = [];
  let backOff = longer(undefined, 0);
  for (let n = 0; n < 7; n++) {
    delays.push(backOff.delay / 1000);
    backOff = longer(backOff, 0);
  }
  expect(delays).toEqual([10, 20, 40, 80, 160, 300, 300]);
  expect(restartAt(undefined, 7)).toBe(7);
  expect(restartAt({ delay: 300_000, setAt: 0 }, 600_001)).toBe(600_001);
  expect(longer({ delay: 300_000, setAt: 0 }, 600_001).delay).toBe(10_000);
});
