import { seededRandom } from "pintle/internal/clock";
import type { Deployment, ReplicaSet } from "pintle/kinds/apps/v1";
import { describe, expect, test } from "vitest";
import { planDeployment } from "./plan.ts";
import { buildReplicasAnnotations, getRevision } from "./revision.ts";
import { getReplicas, getRolloutLimits, sumReplicas } from "./rollout-limits.ts";

const NOW = Date.parse("2026-01-01T00:00:00Z");
const template = (image: string) => ({ metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image }] } });

/** A Deployment with its ReplicaSets: each `sync` executes one plan, and the test sets the pods' availability. */
function startRollout(spec: Partial<Deployment["spec"]>) {
  let created = 0;
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
    updateSpec(next: Partial<Deployment["spec"]>) {
      deployment = {
        ...deployment,
        metadata: { ...deployment.metadata, generation: (deployment.metadata.generation ?? 0) + 1 },
        spec: { ...deployment.spec, ...next },
      };
    },
    /** Sets the replicas to the desired number, `up` of them available. */
    setAvailable(name: string, up: number) {
      const set = sets.get(name) as ReplicaSet;
      put({
        ...set,
        status: { replicas: getReplicas(set), availableReplicas: up, readyReplicas: up, observedGeneration: set.metadata.generation },
      });
    },
    sync(now = NOW) {
      const oldPods = 0;
      const plan = planDeployment(deployment, [...sets.values()], oldPods, now);
      deployment = {
        ...deployment,
        metadata: {
          ...deployment.metadata,
          annotations: { ...deployment.metadata.annotations, ...(plan.revision && { "deployment.kubernetes.io/revision": plan.revision }) },
        },
        status: plan.status,
      };
      if (plan.create) {
        const name = `web-${++created}`;
        put({
          apiVersion: "apps/v1",
          kind: "ReplicaSet",
          metadata: {
            name,
            namespace: "default",
            uid: name,
            resourceVersion: "1",
            generation: 1,
            creationTimestamp: new Date(NOW + created * 1000).toISOString(),
            annotations: plan.create.annotations,
          },
          spec: { replicas: plan.create.replicas, selector: {}, template: deployment.spec.template },
          status: { replicas: 0, observedGeneration: 1 },
        });
      }
      if (plan.update) put({ ...plan.update.set, metadata: { ...plan.update.set.metadata, annotations: plan.update.annotations } });
      for (const { set: planned, replicas } of plan.scale) {
        const set = sets.get(planned.metadata.name) as ReplicaSet;
        const annotations = { ...set.metadata.annotations, ...buildReplicasAnnotations(deployment) };
        put({ ...set, metadata: { ...set.metadata, annotations }, spec: { ...set.spec, replicas } });
      }
      for (const set of plan.cleanup) sets.delete(set.metadata.name);
      return plan;
    },
    /** Makes every pod available at once, until a sync changes nothing. */
    syncUntilSettled() {
      for (let i = 0; i < 100; i++) {
        const before = JSON.stringify([[...sets.values()], deployment]);
        this.sync();
        for (const set of sets.values()) this.setAvailable(set.metadata.name, getReplicas(set));
        if (JSON.stringify([[...sets.values()], deployment]) === before) return this;
      }
      throw new Error("does not settle");
    },
  };
}
const getReplicaCounts = (rollout: { sets: readonly ReplicaSet[] }) => rollout.sets.map(getReplicas);
const conditions = (d: Deployment) => Object.fromEntries((d.status.conditions ?? []).map((c) => [c.type, `${c.status} ${c.reason}`]));

test("creates one full ReplicaSet for a new Deployment and reports when it is complete", () => {
  const rollout = startRollout({});
  expect(rollout.sync().create?.replicas).toBe(4);
  rollout.sync();
  expect(conditions(rollout.deployment)).toMatchObject({ Available: "False MinimumReplicasUnavailable" });
  rollout.syncUntilSettled();
  expect(conditions(rollout.deployment)).toEqual({
    Available: "True MinimumReplicasAvailable",
    Progressing: "True NewReplicaSetAvailable",
  });
  expect(rollout.deployment.metadata.annotations).toEqual({ "deployment.kubernetes.io/revision": "1" });
  expect(rollout.sets[0]?.metadata.annotations).toEqual({
    "deployment.kubernetes.io/desired-replicas": "4",
    "deployment.kubernetes.io/max-replicas": "5",
    "deployment.kubernetes.io/revision": "1",
  });
});

test("rolls a new template out, and an old one back to its ReplicaSet with the next revision", () => {
  const rollout = startRollout({}).syncUntilSettled();
  rollout.updateSpec({ template: template("web:2") });
  rollout.syncUntilSettled();
  expect(getReplicaCounts(rollout)).toEqual([0, 4]);
  expect(rollout.sets.map(getRevision)).toEqual([1, 2]);
  rollout.updateSpec({ template: template("web:1") });
  // In the same pass: a change of annotations alone enqueues nothing.
  expect(rollout.sync()).toMatchObject({ update: {}, scale: [{ replicas: 1 }] });
  rollout.syncUntilSettled();
  expect(getReplicaCounts(rollout)).toEqual([4, 0]);
  expect(rollout.sets.map(getRevision)).toEqual([3, 2]);
  expect(rollout.sets[0]?.metadata.annotations?.["deployment.kubernetes.io/revision-history"]).toBe("1");
});

test("scales the only ReplicaSet when the replicas change", () => {
  const rollout = startRollout({}).syncUntilSettled();
  rollout.updateSpec({ replicas: 7 });
  expect(rollout.sync().scale.map((r) => r.replicas)).toEqual([7]);
  rollout.updateSpec({ replicas: 0 });
  rollout.syncUntilSettled();
  expect(getReplicaCounts(rollout)).toEqual([0]);
});

test("scales the old ReplicaSet to zero before it creates the new one with Recreate", () => {
  const rollout = startRollout({ strategy: { type: "Recreate" } }).syncUntilSettled();
  rollout.updateSpec({ template: template("web:2") });
  const first = rollout.sync();
  expect(first.create).toBeUndefined();
  expect(getReplicaCounts(rollout)).toEqual([0]);
  expect(rollout.sync().create?.replicas).toBe(4);
});

test("scales a paused Deployment but does not roll it out", () => {
  const rollout = startRollout({}).syncUntilSettled();
  rollout.updateSpec({ paused: true, template: template("web:2") });
  rollout.syncUntilSettled();
  expect(getReplicaCounts(rollout)).toEqual([4]);
  expect(conditions(rollout.deployment)["Progressing"]).toBe("Unknown DeploymentPaused");
  rollout.updateSpec({ replicas: 6 });
  rollout.syncUntilSettled();
  expect(getReplicaCounts(rollout)).toEqual([6]);
  rollout.updateSpec({ paused: false });
  rollout.syncUntilSettled();
  expect(getReplicaCounts(rollout)).toEqual([0, 6]);
});

test("fails a rollout without progress at its deadline", () => {
  const rollout = startRollout({ progressDeadlineSeconds: 10 });
  rollout.sync();
  const [set] = rollout.sets;
  rollout.setAvailable(set?.metadata.name ?? "", 0);
  expect(rollout.sync().requeueAfter).toBe(10_000);
  rollout.sync(NOW + 9_000);
  expect(conditions(rollout.deployment)["Progressing"]).toMatch(/^True/);
  expect(rollout.sync(NOW + 10_000).requeueAfter).toBeUndefined();
  expect(conditions(rollout.deployment)["Progressing"]).toBe("False ProgressDeadlineExceeded");
});

test("keeps as many empty ReplicaSets as the revision history limit permits", () => {
  const rollout = startRollout({ revisionHistoryLimit: 2 }).syncUntilSettled();
  for (let i = 2; i <= 6; i++) {
    rollout.updateSpec({ template: template(`web:${i}`) });
    rollout.syncUntilSettled();
  }
  expect(rollout.sets.map(getRevision).sort()).toEqual([4, 5, 6]);
});

describe("a rolling update whose pods become available at random", () => {
  test.each(Array.from({ length: 60 }, (_, seed) => seed))("stays within its limits and completes with seed %i", (seed) => {
    const random = seededRandom(seed);
    const upTo = (n: number) => Math.floor(random() * (n + 1));
    const percent = () => `${upTo(4) * 25}%`;
    const replicas = 1 + upTo(9);
    const rollout = startRollout({
      replicas,
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: percent(), maxUnavailable: percent() } },
    }).syncUntilSettled();
    rollout.updateSpec({ template: template("web:2") });
    const { maxSurge, maxUnavailable } = getRolloutLimits(rollout.deployment);
    for (let i = 0; i < 200; i++) {
      rollout.sync();
      expect(sumReplicas(rollout.sets, getReplicas)).toBeLessThanOrEqual(replicas + maxSurge);
      const available = sumReplicas(rollout.sets, (set) => Math.min(getReplicas(set), set.status.availableReplicas ?? 0));
      expect(available).toBeGreaterThanOrEqual(replicas - maxUnavailable);
      // Pods of the first template stay available; new ones become available one by one, at random.
      const [first, second] = rollout.sets;
      if (first) rollout.setAvailable(first.metadata.name, getReplicas(first));
      if (second)
        rollout.setAvailable(second.metadata.name, Math.min(getReplicas(second), (second.status.availableReplicas ?? 0) + upTo(1)));
    }
    expect(getReplicaCounts(rollout)).toEqual([0, replicas]);
    expect(conditions(rollout.deployment)["Progressing"]).toBe("True NewReplicaSetAvailable");
  });
});
