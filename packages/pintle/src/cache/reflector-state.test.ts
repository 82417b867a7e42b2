import { describe, expect, test } from "vitest";
import { INITIAL_STATE, nextReflectorState, type ReflectorState, toResumeVersion } from "./reflector-state.ts";
import type { WatchProblem } from "./watch-problem.ts";

const fixedRandom = () => 0.5;
const watching: ReflectorState = {
  phase: "watch",
  resourceVersion: toResumeVersion("7"),
  failures: 0,
  canStream: true,
  problem: undefined,
};
const broken: WatchProblem = { type: "unreachable", message: "ECONNRESET" };
const resume = { phase: "watch", resourceVersion: "7" };

describe("a watch whose connection breaks", () => {
  test("resumes at its version within 200 ms when it had been healthy", () => {
    const state = nextReflectorState(watching, { type: "failed", problem: broken, after: 60_000 }, fixedRandom);
    expect(state).toEqual({ phase: "backoff", delay: 100, next: resume, failures: 0, canStream: true, problem: broken });
    expect(nextReflectorState(state, { type: "waited" }, fixedRandom)).toEqual({
      ...resume,
      failures: 0,
      canStream: true,
      problem: broken,
    });
  });

  test("backs off exponentially when it keeps breaking", () => {
    let state = nextReflectorState(watching, { type: "failed", problem: broken, after: 60_000 }, fixedRandom);
    const delays = [];
    for (let attempt = 0; attempt < 3; attempt++) {
      state = nextReflectorState(state, { type: "waited" }, fixedRandom);
      state = nextReflectorState(state, { type: "failed", problem: broken, after: 3 }, fixedRandom);
      delays.push(state.phase === "backoff" ? state.delay : undefined);
    }
    expect(delays).toEqual([1_200, 2_400, 4_800]);
  });

  test("backs off at once when it breaks within a second of its first event", () => {
    const state = nextReflectorState(watching, { type: "progress", resourceVersion: toResumeVersion("8") }, fixedRandom);
    expect(nextReflectorState(state, { type: "failed", problem: broken, after: 900 }, fixedRandom)).toMatchObject({
      phase: "backoff",
      delay: 1_200,
      next: { phase: "watch", resourceVersion: "8" },
    });
  });

  test("waits for the Retry-After of an overloaded API server, however long it had been healthy", () => {
    const busy: WatchProblem = { type: "busy", message: "429", retryAfter: 7_000 };
    expect(nextReflectorState(watching, { type: "failed", problem: busy, after: 60_000 }, fixedRandom)).toMatchObject({
      phase: "backoff",
      delay: 7_000,
    });
  });
});

describe("a watch whose version is too old", () => {
  const expired: WatchProblem = { type: "expired", message: "410" };

  test("lists again at once the first time, and with backoff after that", () => {
    const state = nextReflectorState(watching, { type: "failed", problem: expired, after: 0 }, fixedRandom);
    expect(state).toEqual({ phase: "streamingList", failures: 1, canStream: true, problem: expired });
    expect(nextReflectorState(state, { type: "failed", problem: expired, after: 0 }, fixedRandom)).toMatchObject({
      phase: "backoff",
      next: { phase: "streamingList" },
    });
  });
});

describe("a streaming list", () => {
  const silent: WatchProblem = { type: "silent", message: "nothing received" };

  test("is repeated once when it stalls, and replaced by a paged list when it stalls again", () => {
    const state = nextReflectorState(INITIAL_STATE, { type: "silent", problem: silent }, fixedRandom);
    expect(state).toMatchObject({ phase: "streamingList", failures: 1 });
    expect(nextReflectorState(state, { type: "silent", problem: silent }, fixedRandom)).toMatchObject({
      phase: "pagedList",
      canStream: false,
    });
  });

  test("is replaced by a paged list at once when the API server rejects it", () => {
    const problem: WatchProblem = { type: "failed", message: "422", error: { statusCode: 422 } };
    expect(nextReflectorState(INITIAL_STATE, { type: "failed", problem, after: 0 }, fixedRandom)).toEqual({
      phase: "pagedList",
      failures: 0,
      canStream: false,
      problem: undefined,
    });
  });
});

describe("a watch without a resourceVersion", () => {
  test.each([undefined, "", 7])("is refused when the API server sends %o", (version) => {
    expect(() => toResumeVersion(version)).toThrow("no resourceVersion");
  });

  test("does not compile", () => {
    const history = { failures: 0, canStream: true, problem: undefined };
    // @ts-expect-error a watch needs a resourceVersion
    const without: ReflectorState = { phase: "watch", ...history };
    // @ts-expect-error an unchecked text may be empty
    const unchecked: ReflectorState = { phase: "watch", resourceVersion: "", ...history };
    expect([without.phase, unchecked.phase]).toEqual(["watch", "watch"]);
  });
});
