import { defineResource, z } from "pintle";
import { expect, test } from "vitest";
import { findCrdProblems } from "./crd-problems.ts";

const problems = (spec: z.ZodObject, rule: string) => {
  const resource = defineResource({ group: "example.com", version: "v1", kind: "Thing", spec, rules: [{ rule }] });
  return findCrdProblems({ file: resource.crdFileName, crd: resource.crd() });
};

test("compiles CEL rules and estimates their cost", () => {
  expect(problems(z.object({ size: z.int32() }), "self.spec.size > 1")).toEqual([]);
  expect(problems(z.object({ size: z.int32() }), "self.spec.size > '1'")).toEqual([
    expect.stringMatching(
      /^example\.com_things\.yaml: v1 x-kubernetes-validations\[0\]\.rule: compilation failed: .*no matching overload/s,
    ),
  ]);
  expect(
    problems(z.object({ a: z.array(z.array(z.string())) }), "self.spec.a.all(x, self.spec.a.all(y, x.all(s, y.all(t, s != t))))"),
  ).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/v1 x-kubernetes-validations\[0\]\.rule: Forbidden: estimated rule cost exceeds budget/),
    ]),
  );
});
