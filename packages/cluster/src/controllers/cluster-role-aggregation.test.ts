import type { ClusterRole, PolicyRule } from "pintle/kinds/rbac/v1";
import { expect, test } from "vitest";
import { aggregateRules } from "./cluster-role-aggregation.ts";

const rule = (resource: string): PolicyRule => ({ apiGroups: [""], resources: [resource], verbs: ["get"] });
const role = (name: string, fields: object) => ({ metadata: { name }, ...fields }) as unknown as ClusterRole;
const labelledRole = (name: string, labels: object, ...resources: string[]) =>
  role(name, { metadata: { name, labels }, rules: resources.map(rule) });
const aggregatingRole = (name: string, ...clusterRoleSelectors: object[]) => role(name, { aggregationRule: { clusterRoleSelectors } });

const all = [
  labelledRole("z", { to: "view" }, "pods", "nodes"),
  labelledRole("a", { to: "view", more: "yes" }, "services", "pods"),
  labelledRole("m", { to: "edit" }, "secrets"),
];

test("aggregates the rules of selected roles by role name, without duplicates", () => {
  expect(aggregateRules(aggregatingRole("view", { matchLabels: { to: "view" } }), all)).toEqual(["services", "pods", "nodes"].map(rule));
});
test("combines several selectors in their order", () => {
  const both = aggregatingRole("x", { matchLabels: { to: "edit" } }, { matchExpressions: [{ key: "more", operator: "Exists" }] });
  expect(aggregateRules(both, all)).toEqual(["secrets", "services", "pods"].map(rule));
});
test("excludes the rules of the aggregated role itself", () => {
  const own = {
    ...labelledRole("own", { to: "view" }, "secrets"),
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { to: "view" } }] },
  };
  expect(aggregateRules(own, [own])).toEqual([]);
});
test("returns undefined for a role without an aggregation rule, or with all rules", () => {
  expect(aggregateRules(labelledRole("plain", {}, "pods"), all)).toBeUndefined();
  const done = { ...aggregatingRole("view", { matchLabels: { to: "edit" } }), rules: [rule("secrets")] };
  expect(aggregateRules(done as ClusterRole, all)).toBeUndefined();
  expect(aggregateRules(aggregatingRole("view", { matchLabels: { to: "nowhere" } }), all)).toBeUndefined();
});
