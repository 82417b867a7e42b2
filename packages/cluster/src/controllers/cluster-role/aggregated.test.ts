import type { ClusterRole, PolicyRule } from "pintle/kinds/rbac/v1";
import { expect, test } from "vitest";
import { aggregatedRules } from "./aggregated.ts";

const rule = (resource: string): PolicyRule => ({ apiGroups: [""], resources: [resource], verbs: ["get"] });
const role = (name: string, fields: object) => ({ metadata: { name }, ...fields }) as unknown as ClusterRole;
const labelled = (name: string, labels: object, ...resources: string[]) =>
  role(name, { metadata: { name, labels }, rules: resources.map(rule) });
const gatherer = (name: string, ...clusterRoleSelectors: object[]) => role(name, { aggregationRule: { clusterRoleSelectors } });

const all = [
  labelled("z", { to: "view" }, "pods", "nodes"),
  labelled("a", { to: "view", more: "yes" }, "services", "pods"),
  labelled("m", { to: "edit" }, "secrets"),
];

test("rules come by name of their role, each once", () => {
  expect(aggregatedRules(gatherer("view", { matchLabels: { to: "view" } }), all)).toEqual(["services", "pods", "nodes"].map(rule));
});
test("selectors add up, in their order", () => {
  const both = gatherer("x", { matchLabels: { to: "edit" } }, { matchExpressions: [{ key: "more", operator: "Exists" }] });
  expect(aggregatedRules(both, all)).toEqual(["secrets", "services", "pods"].map(rule));
});
test("a role never gathers its own rules", () => {
  const own = {
    ...labelled("own", { to: "view" }, "secrets"),
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { to: "view" } }] },
  };
  expect(aggregatedRules(own, [own])).toEqual([]);
});
test("nothing is to be done for roles that gather none, or have all", () => {
  expect(aggregatedRules(labelled("plain", {}, "pods"), all)).toBeUndefined();
  const done = { ...gatherer("view", { matchLabels: { to: "edit" } }), rules: [rule("secrets")] };
  expect(aggregatedRules(done as ClusterRole, all)).toBeUndefined();
  expect(aggregatedRules(gatherer("view", { matchLabels: { to: "nowhere" } }), all)).toBeUndefined();
});
