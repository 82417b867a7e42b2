import { describe, expect, test } from "vitest";
import { answers, comparable, crdAnswer } from "./answer.ts";
import { type Golden, type GoldenCrd, golden, likewise } from "./golden.ts";

describe("objects are answered as a real server answers them", () => {
  test.each(golden<Golden>("objects.json"))("$suite.name", ({ suite, answers: theirs }) => {
    const ours = answers(suite);
    for (const [i, one] of suite.cases.entries()) {
      expect(likewise(ours[i]!, theirs[i]!), one.name).toEqual(comparable(theirs[i]!));
    }
  });
});

describe("CRDs are answered as a real server answers them", () => {
  test.each(golden<GoldenCrd>("crds.json"))("$name", ({ crd, answer }) => {
    expect(likewise(crdAnswer(crd), answer)).toEqual(comparable(answer));
  });
});
