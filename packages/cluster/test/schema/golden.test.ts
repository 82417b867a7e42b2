import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { answers, comparable, crdAnswer } from "./answer.ts";
import type { Golden, GoldenCrd } from "./suite.ts";

// What a real kube-apiserver answered; refreshed by the conformance run.
const golden = <T>(file: string): readonly T[] => JSON.parse(readFileSync(new URL(`golden/${file}`, import.meta.url), "utf8"));

describe("objects are answered as a real server answers them", () => {
  test.each(golden<Golden>("objects.json"))("$suite.name", ({ suite, answers: theirs }) => {
    const ours = answers(suite);
    for (const [i, one] of suite.cases.entries()) {
      expect(comparable(ours[i]!), one.name).toEqual(comparable(theirs[i]!));
    }
  });
});

describe("CRDs are answered as a real server answers them", () => {
  test.each(golden<GoldenCrd>("crds.json"))("$name", ({ crd, answer }) => {
    expect(comparable(crdAnswer(crd))).toEqual(comparable(answer));
  });
});
