import type { Node, NodeSelectorRequirement, PodSpec } from "pintle/kinds/core/v1";
import { expect, test } from "vitest";
import { matchesNodeSelectorAndAffinity } from "./node-affinity.ts";

const node = (labels: Record<string, string>) => ({ metadata: { name: "n", labels } }) as unknown as Node;
const podRequiring = (requirement: NodeSelectorRequirement): PodSpec => ({
  containers: [],
  affinity: {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [requirement] }] } },
  },
});

test.each(["constructor", "toString", "__proto__"])("%s is no label of a node that does not have it", (key) => {
  expect(matchesNodeSelectorAndAffinity(podRequiring({ key, operator: "Exists" }), node({}))).toBe(false);
  expect(matchesNodeSelectorAndAffinity(podRequiring({ key, operator: "DoesNotExist" }), node({}))).toBe(true);
});

test("Gt and Lt compare integers", () => {
  expect(matchesNodeSelectorAndAffinity(podRequiring({ key: "cores", operator: "Gt", values: ["4"] }), node({ cores: "16" }))).toBe(true);
  expect(matchesNodeSelectorAndAffinity(podRequiring({ key: "cores", operator: "Lt", values: ["4"] }), node({ cores: "16" }))).toBe(false);
});
