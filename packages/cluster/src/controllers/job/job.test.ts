import type { Job } from "pintle/kinds/batch/v1";
import type { Pod } from "pintle/kinds/core/v1";
import { describe, expect, test } from "vitest";
import { manage } from "./manage.ts";
import { endingOf } from "./outcome.ts";
import { tally } from "./tally.ts";

const NOW = Date.parse("2026-01-01T01:00:00Z");
const job = (spec: object = {}, status: object = {}) =>
  ({
    metadata: { name: "j", namespace: "a" },
    spec: { template: { spec: { restartPolicy: "Never" } }, ...spec },
    status,
  }) as unknown as Job;
/** "ok", "bad", "run", each with ":index"; "bad" ended so many seconds ago: "bad-5". */
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
const ending = (of: Job, text: string) => endingOf(of, pods(text), tally(of, pods(text)), NOW);
const managed = (of: Job, text: string) => {
  const { create, remove, later } = manage(of, pods(text), tally(of, pods(text)), NOW);
  return { create: create.map(({ index }) => index), remove: remove.map(({ metadata }) => metadata.name), wait: later && later - NOW };
};

describe("how a job ends", () => {
  const indexed = { completionMode: "Indexed", completions: 2 };
  const rules = [
    { action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] },
    { action: "FailJob", onExitCodes: { operator: "In", values: [7] } },
  ];
  test.each([
    ["not yet", job({ completions: 2 }), "ok run", undefined],
    ["with all completions", job({ completions: 2 }), "ok ok", "CompletionsReached"],
    ["a queue, with one success and nobody left", job({}), "ok", "CompletionsReached"],
    ["a queue, but not before the others", job({}), "ok run", undefined],
    ["too many failures", job({ completions: 1, backoffLimit: 1 }), "bad bad", "BackoffLimitExceeded"],
    ["as many failures as it may have", job({ completions: 1, backoffLimit: 2 }), "bad bad", undefined],
    ["too late", job({ completions: 1, activeDeadlineSeconds: 60 }, { startTime: "2026-01-01T00:00:00Z" }), "run", "DeadlineExceeded"],
    ["by policy", job({ completions: 1, podFailurePolicy: { rules } }), "bad", "PodFailurePolicy"],
    ["each index once", job(indexed), "ok:0 ok:0", undefined],
    ["all indexes", job(indexed), "ok:0 ok:1", "CompletionsReached"],
    ["some indexes lost", job({ ...indexed, backoffLimitPerIndex: 0 }), "ok:0 bad:1", "FailedIndexes"],
    [
      "enough by its success policy",
      job({ ...indexed, successPolicy: { rules: [{ succeededIndexes: "1" }] } }),
      "run:0 ok:1",
      "SuccessPolicy",
    ],
  ])("%s", (_, of, text, reason) => expect(ending(of, text)?.reason).toBe(reason));
});

describe("what a job does next", () => {
  test.each([
    [
      "as many as may run at once",
      job({ completions: 5, parallelism: 2 }),
      "",
      { create: [undefined, undefined], remove: [], wait: undefined },
    ],
    ["no more than are needed", job({ completions: 3, parallelism: 3 }), "ok ok run", { create: [], remove: [], wait: undefined }],
    ["less at once", job({ completions: 5, parallelism: 1 }), "run run", { create: [], remove: ["p-1"], wait: undefined }],
    [
      "nothing while suspended",
      job({ completions: 2, parallelism: 2, suspend: true }),
      "run",
      { create: [], remove: ["p-0"], wait: undefined },
    ],
    ["waits after a failure", job({ completions: 1 }), "bad-4", { create: [], remove: [], wait: 6_000 }],
    ["longer after the second", job({ completions: 1 }), "bad-60 bad-4", { create: [], remove: [], wait: 16_000 }],
    ["not after a success", job({ completions: 2 }), "bad-60 ok-1", { create: [undefined], remove: [], wait: undefined }],
    [
      "the lowest open indexes",
      job({ completionMode: "Indexed", completions: 5, parallelism: 3 }),
      "ok-1:0 run:2",
      { create: [1, 3], remove: [], wait: undefined },
    ],
    [
      "one pod for an index",
      job({ completionMode: "Indexed", completions: 2, parallelism: 2 }),
      "run:0 run:0",
      { create: [], remove: ["p-1"], wait: undefined },
    ],
  ])("%s", (_, of, text, expected) => expect(managed(of, text)).toEqual(expected));
});

test("nobody is counted twice", () => {
  const { succeeded, failed, newFailed } = tally(
    job({}, { succeeded: 3, failed: 1, uncountedTerminatedPods: { failed: ["uid-0"] } }),
    pods("bad bad"),
  );
  expect([succeeded, failed, newFailed]).toEqual([3, 3, ["uid-1"]]);
});
