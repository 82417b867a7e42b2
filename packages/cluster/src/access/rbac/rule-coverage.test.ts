import { expect, test } from "vitest";
import type { PolicyRule } from "./rule.ts";
import { findUncoveredRules, formatRules } from "./rule-coverage.ts";

const rule = (apiGroups: string[], resources: string[], verbs: string[], resourceNames?: string[]): PolicyRule => ({
  apiGroups,
  resources,
  verbs,
  ...(resourceNames === undefined ? {} : { resourceNames }),
});
const formatUncovered = (held: PolicyRule[], ...wanted: PolicyRule[]) => formatRules(findUncoveredRules(held, wanted));

test.each<[string, PolicyRule[], PolicyRule, string]>([
  ["the same", [rule([""], ["pods"], ["get"])], rule([""], ["pods"], ["get"]), ""],
  [
    "more verbs",
    [rule([""], ["pods"], ["get"])],
    rule([""], ["pods"], ["get", "list"]),
    '{APIGroups:[""], Resources:["pods"], Verbs:["list"]}',
  ],
  ["two rules together", [rule([""], ["pods"], ["get"]), rule(["*"], ["*"], ["list"])], rule([""], ["pods"], ["get", "list"]), ""],
  [
    "a star for a list",
    [rule([""], ["pods"], ["get", "list"])],
    rule([""], ["pods"], ["*"]),
    '{APIGroups:[""], Resources:["pods"], Verbs:["*"]}',
  ],
  ["a name of what is held", [rule([""], ["pods"], ["get"])], rule([""], ["pods"], ["get"], ["x"]), ""],
  [
    "all of what is held by name",
    [rule([""], ["pods"], ["get"], ["x"])],
    rule([""], ["pods"], ["get"]),
    '{APIGroups:[""], Resources:["pods"], Verbs:["get"]}',
  ],
  ["a subresource by star", [rule(["apps"], ["*/scale"], ["get"])], rule(["apps"], ["deployments/scale"], ["get"]), ""],
])("%s", (_, held, wanted, text) => {
  expect(formatUncovered(held, wanted)).toBe(text);
});

test("formats uncovered rules by resource, sorted, with non-resource URLs separate", () => {
  const wanted = [rule(["b", "a"], ["y", "x"], ["get"]), rule(["a"], ["x"], ["list"]), { verbs: ["get", "post"], nonResourceURLs: ["/p"] }];
  expect(formatUncovered([], ...wanted).split("\n")).toEqual([
    '{APIGroups:["a"], Resources:["x"], Verbs:["get" "list"]}',
    '{APIGroups:["a"], Resources:["y"], Verbs:["get"]}',
    '{APIGroups:["b"], Resources:["x"], Verbs:["get"]}',
    '{APIGroups:["b"], Resources:["y"], Verbs:["get"]}',
    '{NonResourceURLs:["/p"], Verbs:["get"]}',
    '{NonResourceURLs:["/p"], Verbs:["post"]}',
  ]);
});
