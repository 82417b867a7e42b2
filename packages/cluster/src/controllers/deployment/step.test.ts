import type { Deployment, ReplicaSet } from "pintle/kinds/apps/v1";
import { seeded } from "pintle/queue";
import { describe, expect, test } from "vitest";
import { limitsOf, sizeOf, sum } from "./limits.ts";
import { revisionOf, sizeAnnotations } from "./revision.ts";
import { deploymentStep } from "./step.ts";

const NOW = Date.parse("2026-01-01T00:00:00Z");
const template = (image: string) => ({ metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image }] } });

/** A Deployment with its ReplicaSets, on which steps are carried out and pods come up as told. */
function rollout(spec: Partial<Deployment["spec"]>) {
  let made = 0;
  let deployment = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: {
      name: "web",
      namespace: "default",
      uid: "d",
      resourceVersion: "1",
      creationTimestamp: "2026-01-01T00:00:00Z",
      generation: 1,
    },
    spec: { replicas: 4, progressDeadlineSeconds: 600, selector: { matchLabels: { app: "web" } }, template: template("web:1"), ...spec },
    status: {},
  } as Deployment;
  const sets = new Map<string, ReplicaSet>();
  const put = (set: ReplicaSet) => sets.set(set.metadata.name, set);
  return {
    get deployment() {
      return deployment;
    },
    get sets() {
      return [...sets.values()];
    },
    change(next: Partial<Deployment["spec"]>) {
      deployment = {
        ...deployment,
        metadata: { ...deployment.metadata, generation: (deployment.metadata.generation ?? 0) + 1 },
        spec: { ...deployment.spec, ...next },
      };
    },
    /** Pods follow the size; `up` of them are available. */
    observe(name: string, up: number) {
      const set = sets.get(name) as ReplicaSet;
      put({
        ...set,
        status: { replicas: sizeOf(set), availableReplicas: up, readyReplicas: up, observedGeneration: set.metadata.generation },
      });
    },
    step(now = NOW) {
      const oldPods = 0;
      const step = deploymentStep(deployment, [...sets.values()], oldPods, now);
      deployment = {
        ...deployment,
        metadata: {
          ...deployment.metadata,
          annotations: { ...deployment.metadata.annotations, ...(step.revision && { "deployment.kubernetes.io/revision": step.revision }) },
        },
        status: step.status,
      };
      if (step.create) {
        const name = `web-${++made}`;
        put({
          apiVersion: "apps/v1",
          kind: "ReplicaSet",
          metadata: {
            name,
            namespace: "default",
            uid: name,
            resourceVersion: "1",
            generation: 1,
            creationTimestamp: new Date(NOW + made * 1000).toISOString(),
            annotations: step.create.annotations,
          },
          spec: { replicas: step.create.replicas, selector: {}, template: deployment.spec.template },
          status: { replicas: 0, observedGeneration: 1 },
        });
      }
      if (step.refresh) put({ ...step.refresh.set, metadata: { ...step.refresh.set.metadata, annotations: step.refresh.annotations } });
      for (const { set: seen, to } of step.resize) {
        const set = sets.get(seen.metadata.name) as ReplicaSet;
        const annotations = { ...set.metadata.annotations, ...sizeAnnotations(deployment) };
        put({ ...set, metadata: { ...set.metadata, annotations }, spec: { ...set.spec, replicas: to } });
      }
      for (const set of step.forget) sets.delete(set.metadata.name);
      return step;
    },
    /** Every pod comes up at once, until nothing moves any more. */
    settle() {
      for (let i = 0; i < 100; i++) {
        const before = JSON.stringify([[...sets.values()], deployment]);
        this.step();
        for (const set of sets.values()) this.observe(set.metadata.name, sizeOf(set));
        if (JSON.stringify([[...sets.values()], deployment]) === before) return this;
      }
      throw new Error("does not settle");
    },
  };
}
const sizes = (world: { sets: readonly ReplicaSet[] }) => world.sets.map(sizeOf);
const conditions = (d: Deployment) => Object.fromEntries((d.status.conditions ?? []).map((c) => [c.type, `${c.status} ${c.reason}`]));

test("a new Deployment gets one full ReplicaSet and says when it is complete", () => {
  const world = rollout({});
  expect(world.step().create?.replicas).toBe(4);
  world.step();
  expect(conditions(world.deployment)).toMatchObject({ Available: "False MinimumReplicasUnavailable" });
  world.settle();
  expect(conditions(world.deployment)).toEqual({ Available: "True MinimumReplicasAvailable", Progressing: "True NewReplicaSetAvailable" });
  expect(world.deployment.metadata.annotations).toEqual({ "deployment.kubernetes.io/revision": "1" });
  expect(world.sets[0]?.metadata.annotations).toEqual({
    "deployment.kubernetes.io/desired-replicas": "4",
    "deployment.kubernetes.io/max-replicas": "5",
    "deployment.kubernetes.io/revision": "1",
  });
});

test("a new template rolls out, an old one rolls back to the same ReplicaSet with the next revision", () => {
  const world = rollout({}).settle();
  world.change({ template: template("web:2") });
  world.settle();
  expect(sizes(world)).toEqual([0, 4]);
  expect(world.sets.map(revisionOf)).toEqual([1, 2]);
  world.change({ template: template("web:1") });
  // At once: nobody wakes the controller for annotations alone.
  expect(world.step()).toMatchObject({ refresh: {}, resize: [{ to: 1 }] });
  world.settle();
  expect(sizes(world)).toEqual([4, 0]);
  expect(world.sets.map(revisionOf)).toEqual([3, 2]);
  expect(world.sets[0]?.metadata.annotations?.["deployment.kubernetes.io/revision-history"]).toBe("1");
});

test("a plain resize goes to the one ReplicaSet", () => {
  const world = rollout({}).settle();
  world.change({ replicas: 7 });
  expect(world.step().resize.map((r) => r.to)).toEqual([7]);
  world.change({ replicas: 0 });
  world.settle();
  expect(sizes(world)).toEqual([0]);
});

test("Recreate empties the old ReplicaSet before the new one is made", () => {
  const world = rollout({ strategy: { type: "Recreate" } }).settle();
  world.change({ template: template("web:2") });
  const first = world.step();
  expect(first.create).toBeUndefined();
  expect(sizes(world)).toEqual([0]);
  expect(world.step().create?.replicas).toBe(4);
});

test("a paused Deployment rolls nothing out but still resizes", () => {
  const world = rollout({}).settle();
  world.change({ paused: true, template: template("web:2") });
  world.settle();
  expect(sizes(world)).toEqual([4]);
  expect(conditions(world.deployment)["Progressing"]).toBe("Unknown DeploymentPaused");
  world.change({ replicas: 6 });
  world.settle();
  expect(sizes(world)).toEqual([6]);
  world.change({ paused: false });
  world.settle();
  expect(sizes(world)).toEqual([0, 6]);
});

test("a rollout that stands still fails at its deadline", () => {
  const world = rollout({ progressDeadlineSeconds: 10 });
  world.step();
  const [set] = world.sets;
  world.observe(set?.metadata.name ?? "", 0);
  expect(world.step().again).toBe(10_000);
  world.step(NOW + 9_000);
  expect(conditions(world.deployment)["Progressing"]).toMatch(/^True/);
  expect(world.step(NOW + 10_000).again).toBeUndefined();
  expect(conditions(world.deployment)["Progressing"]).toBe("False ProgressDeadlineExceeded");
});

test("history keeps as many empty ReplicaSets as asked", () => {
  const world = rollout({ revisionHistoryLimit: 2 }).settle();
  for (let i = 2; i <= 6; i++) {
    world.change({ template: template(`web:${i}`) });
    world.settle();
  }
  expect(world.sets.map(revisionOf).sort()).toEqual([4, 5, 6]);
});

describe("any rollout, with pods coming up and failing at random", () => {
  test.each(Array.from({ length: 60 }, (_, seed) => seed))("seed %i never goes beyond its limits and always arrives", (seed) => {
    const random = seeded(seed);
    const upTo = (n: number) => Math.floor(random() * (n + 1));
    const percent = () => `${upTo(4) * 25}%`;
    const replicas = 1 + upTo(9);
    const world = rollout({
      replicas,
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: percent(), maxUnavailable: percent() } },
    }).settle();
    world.change({ template: template("web:2") });
    const { maxSurge, maxUnavailable } = limitsOf(world.deployment);
    for (let i = 0; i < 200; i++) {
      world.step();
      expect(sum(world.sets, sizeOf)).toBeLessThanOrEqual(replicas + maxSurge);
      const available = sum(world.sets, (set) => Math.min(sizeOf(set), set.status.availableReplicas ?? 0));
      expect(available).toBeGreaterThanOrEqual(replicas - maxUnavailable);
      // Pods of the first template stay up; new ones come up one by one, in their own time.
      const [first, second] = world.sets;
      if (first) world.observe(first.metadata.name, sizeOf(first));
      if (second) world.observe(second.metadata.name, Math.min(sizeOf(second), (second.status.availableReplicas ?? 0) + upTo(1)));
    }
    expect(sizes(world)).toEqual([0, replicas]);
    expect(conditions(world.deployment)["Progressing"]).toBe("True NewReplicaSetAvailable");
  });
});
