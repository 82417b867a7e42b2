import type { Job } from "pintle/kinds/batch/v1";
import type { Pod } from "pintle/kinds/core/v1";
import { describe, expect, test } from "vitest";
import { computeJobOutcome } from "./outcome.ts";
import { countJobPods } from "./pod-count.ts";
import { planJobPods } from "./pod-plan.ts";

const NOW = Date.parse("2026-01-01T01:00:00Z");
const job = (spec: object = {}, status: object = {}) =>
  ({
    metadata: { name: "j", namespace: "a" },
    spec: { template: { spec: { restartPolicy: "Never" } }, ...spec },
    status,
  }) as unknown as Job;
/** "ok", "bad", "run", each with ":index"; "bad-5" finished five seconds ago. */
const pod = (text: string, i: number) => {
  const [, how, ago = "0", index] = /^(ok|bad|run)(?:-(\d+))?(?::(\d+))?$/.exec(text)!;
  const finishedAt = new Date(NOW - Number(ago) * 1000).toISOString();
  const state = how === "run" ? { running: {} } : { terminated: { exitCode: how === "ok" ? 0 : 7, finishedAt } };
  return {
    metadata: {
      name: `p-${i}`,
      namespace: "a",
      uid: `uid-${i}`,
      creationTimestamp: `2026-01-01T00:00:0${i}Z`,
      finalizers: ["batch.kubernetes.io/job-tracking"],
      annotations: index === undefined ? {} : { "batch.kubernetes.io/job-completion-index": index },
    },
    spec: { containers: [{ name: "main" }] },
    status: {
      phase: { ok: "Succeeded", bad: "Failed", run: "Running" }[how!],
      containerStatuses: [{ name: "main", state, restartCount: 0 }],
    },
  } as unknown as Pod;
};
const pods = (text: string) => text.split(" ").filter(Boolean).map(pod);
const outcomeOf = (of: Job, text: string) => computeJobOutcome(of, pods(text), countJobPods(of, pods(text)), NOW);
const planOf = (of: Job, text: string) => {
  const { create, remove, nextPodAt } = planJobPods(of, pods(text), countJobPods(of, pods(text)), NOW);
  return {
    create: create.map(({ index }) => index),
    remove: remove.map(({ metadata }) => metadata.name),
    wait: nextPodAt && nextPodAt - NOW,
  };
};

describe("the outcome of a Job", () => {
  const indexed = { completionMode: "Indexed", completions: 2 };
  const rules = [
    { action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] },
    { action: "FailJob", onExitCodes: { operator: "In", values: [7] } },
  ];
  test.each([
    ["missing completions", job({ completions: 2 }), "ok run", undefined],
    ["all completions reached", job({ completions: 2 }), "ok ok", "CompletionsReached"],
    ["no completions set, with one success and no active pod", job({}), "ok", "CompletionsReached"],
    ["no completions set, with one success and an active pod", job({}), "ok run", undefined],
    ["failures above the backoff limit", job({ completions: 1, backoffLimit: 1 }), "bad bad", "BackoffLimitExceeded"],
    ["failures at the backoff limit", job({ completions: 1, backoffLimit: 2 }), "bad bad", undefined],
    [
      "a passed active deadline",
      job({ completions: 1, activeDeadlineSeconds: 60 }, { startTime: "2026-01-01T00:00:00Z" }),
      "run",
      "DeadlineExceeded",
    ],
    ["a pod failure policy that fails the Job", job({ completions: 1, podFailurePolicy: { rules } }), "bad", "PodFailurePolicy"],
    ["an index that succeeded twice", job(indexed), "ok:0 ok:0", undefined],
    ["all indexes succeeded", job(indexed), "ok:0 ok:1", "CompletionsReached"],
    ["a failed index", job({ ...indexed, backoffLimitPerIndex: 0 }), "ok:0 bad:1", "FailedIndexes"],
    [
      "a matching success policy",
      job({ ...indexed, successPolicy: { rules: [{ succeededIndexes: "1" }] } }),
      "run:0 ok:1",
      "SuccessPolicy",
    ],
  ])("is decided correctly for %s", (_, of, text, reason) => expect(outcomeOf(of, text)?.reason).toBe(reason));
});

describe("the pod plan of a Job", () => {
  test.each([
    [
      "parallelism that limits the pods to create",
      job({ completions: 5, parallelism: 2 }),
      "",
      { create: [undefined, undefined], remove: [], wait: undefined },
    ],
    ["pods that already suffice", job({ completions: 3, parallelism: 3 }), "ok ok run", { create: [], remove: [], wait: undefined }],
    ["a reduced parallelism", job({ completions: 5, parallelism: 1 }), "run run", { create: [], remove: ["p-1"], wait: undefined }],
    ["suspension", job({ completions: 2, parallelism: 2, suspend: true }), "run", { create: [], remove: ["p-0"], wait: undefined }],
    ["the backoff after one failure", job({ completions: 1 }), "bad-4", { create: [], remove: [], wait: 6_000 }],
    ["the backoff after two failures", job({ completions: 1 }), "bad-60 bad-4", { create: [], remove: [], wait: 16_000 }],
    ["no backoff after a success", job({ completions: 2 }), "bad-60 ok-1", { create: [undefined], remove: [], wait: undefined }],
    [
      "the lowest open indexes",
      job({ completionMode: "Indexed", completions: 5, parallelism: 3 }),
      "ok-1:0 run:2",
      { create: [1, 3], remove: [], wait: undefined },
    ],
    [
      "two pods of the same index",
      job({ completionMode: "Indexed", completions: 2, parallelism: 2 }),
      "run:0 run:0",
      { create: [], remove: ["p-1"], wait: undefined },
    ],
  ])("covers %s", (_, of, text, expected) => expect(planOf(of, text)).toEqual(expected));
});

test("counts each finished pod once", () => {
  const { succeeded, failed, newFailed } = countJobPods(
    job({}, { succeeded: 3, failed: 1, uncountedTerminatedPods: { failed: ["uid-0"] } }),
    pods("bad bad"),
  );
  expect([succeeded, failed, newFailed]).toEqual([3, 3, ["uid-1"]]);
});
