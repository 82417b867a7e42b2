import { describe, expect, it } from "vitest";
import { defineKind } from "../../kinds/index.ts";
import { formatPath, formatSubject } from "./path.ts";

const Pod = defineKind("v1/Pod", "pods", "Namespaced");
const Node = defineKind("v1/Node", "nodes", "Cluster");
const Deployment = defineKind("apps/v1/Deployment", "deployments", "Namespaced");
const Role = defineKind("rbac.authorization.k8s.io/v1/ClusterRole", "clusterroles", "Cluster");

describe("formatPath", () => {
  it.each([
    [Pod, {}, "/api/v1/pods"],
    [Pod, { namespace: "a" }, "/api/v1/namespaces/a/pods"],
    [Pod, { namespace: "a", name: "b" }, "/api/v1/namespaces/a/pods/b"],
    [Pod, { namespace: "a", name: "b", subresource: "log" }, "/api/v1/namespaces/a/pods/b/log"],
    [Node, { name: "n.example.com" }, "/api/v1/nodes/n.example.com"],
    [Deployment, { namespace: "a", name: "b", subresource: "status" }, "/apis/apps/v1/namespaces/a/deployments/b/status"],
    [Role, { name: "system:node" }, "/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Anode"],
    [Role, { name: "a b?c#d" }, "/apis/rbac.authorization.k8s.io/v1/clusterroles/a%20b%3Fc%23d"],
  ])("case %# is formatted as expected", (of, target, expected) => {
    expect(formatPath(of, target)).toBe(expected);
  });

  it.each([
    [Pod, { namespace: "a", name: "" }, 'Pod: "" cannot be a name'],
    [Pod, { namespace: "a", name: ".." }, 'Pod: ".." cannot be a name'],
    [Pod, { namespace: "a", name: "../secrets/x" }, 'Pod: "../secrets/x" cannot be a name'],
    [Pod, { namespace: "", name: "x" }, 'Pod: "" cannot be a namespace'],
    [Pod, { namespace: "a%2fb" }, 'Pod: "a%2fb" cannot be a namespace'],
    [Pod, { name: "x" }, 'Pod "x": namespace is missing'],
    [Node, { namespace: "a", name: "x" }, 'Node is cluster-scoped: leave the namespace ("a") out'],
  ])("refuses %#", (of, target, message) => {
    expect(() => formatPath(of, target)).toThrow(message);
  });
});

it("formats the subject of an error message", () => {
  expect(formatSubject(Pod, { namespace: "a", name: "b" })).toBe("Pod a/b");
  expect(formatSubject(Pod, { namespace: "a" })).toBe("Pod in a");
  expect(formatSubject(Node, { name: "b" })).toBe("Node b");
});
