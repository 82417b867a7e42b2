import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { answers, comparable } from "./answer.ts";
import type { Golden } from "./suite.ts";

// What a real kube-apiserver answered; refreshed by the conformance run.
const golden: readonly Golden[] = JSON.parse(readFileSync(new URL("golden.json", import.meta.url), "utf8"));

describe("objects are answered as a real server answers them", () => {
  test.each(golden)("$suite.name", ({ suite, answers: theirs }) => {
    const ours = answers(suite);
    for (const [i, one] of suite.cases.entries()) {
      expect(comparable(ours[i]!), one.name).toEqual(comparable(theirs[i]!));
    }
  });
});
