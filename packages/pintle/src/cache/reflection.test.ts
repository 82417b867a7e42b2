import { describe, expect, test } from "vitest";
import type { Problem } from "./problem.ts";
import { type Reflection, reflect, START } from "./reflection.ts";

const half = () => 0.5;
const watching: Reflection = { ...START, doing: "watch", version: "7" };
const broken: Problem = { type: "unreachable", message: "ECONNRESET" };

describe("a watch whose connection breaks", () => {
  test("goes on within a moment where it was, if it had been well", () => {
    const state = reflect(watching, { type: "failed", problem: broken, after: 60_000 }, half);
    expect(state).toMatchObject({ doing: "wait", next: "watch", wait: 100, version: "7", problem: broken });
    expect(reflect(state, { type: "waited" }, half)).toMatchObject({ doing: "watch", version: "7" });
  });

  test("waits, and longer each time, when it breaks again at once", () => {
    let state = reflect(watching, { type: "failed", problem: broken, after: 60_000 }, half);
    const waits = [];
    for (let attempt = 0; attempt < 3; attempt++) {
      state = reflect(state, { type: "waited" }, half);
      state = reflect(state, { type: "failed", problem: broken, after: 3 }, half);
      waits.push(state.wait);
    }
    expect(waits).toEqual([1_200, 2_400, 4_800]);
  });

  test("waits at first already when it breaks whenever it has said a word", () => {
    const heard = reflect(watching, { type: "heard", version: "8" }, half);
    expect(reflect(heard, { type: "failed", problem: broken, after: 900 }, half)).toMatchObject({ doing: "wait", wait: 1_200 });
  });

  test("waits as long as it is told to when the server is busy, however long it had been well", () => {
    const busy: Problem = { type: "busy", message: "429", retryAfter: 7_000 };
    expect(reflect(watching, { type: "failed", problem: busy, after: 60_000 }, half)).toMatchObject({ doing: "wait", wait: 7_000 });
  });
});
