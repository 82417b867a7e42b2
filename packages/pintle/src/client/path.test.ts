import { describe, expect, it } from "vitest";
import { kind } from "../kinds/index.ts";
import { pathOf, subjectOf } from "./path.ts";

const Pod = kind("v1/Pod", "pods", "Namespaced");
const Node = kind("v1/Node", "nodes", "Cluster");
const Deployment = kind("apps/v1/Deployment", "deployments", "Namespaced");
const Role = kind("rbac.authorization.k8s.io/v1/ClusterRole", "clusterroles", "Cluster");

describe("pathOf", () => {
  it.each([
    [Pod, {}, "/api/v1/pods"],
    [Pod, { namespace: "a" }, "/api/v1/namespaces/a/pods"],
    [Pod, { namespace: "a", name: "b" }, "/api/v1/namespaces/a/pods/b"],
    [Pod, { namespace: "a", name: "b", subresource: "log" }, "/api/v1/namespaces/a/pods/b/log"],
    [Node, { name: "n.example.com" }, "/api/v1/nodes/n.example.com"],
    [Deployment, { namespace: "a", name: "b", subresource: "status" }, "/apis/apps/v1/namespaces/a/deployments/b/status"],
    [Role, { name: "system:node" }, "/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Anode"],
    [Role, { name: "a b?c#d" }, "/apis/rbac.authorization.k8s.io/v1/clusterroles/a%20b%3Fc%23d"],
  ])("%#", (of, place, expected) => {
    expect(pathOf(of, place)).toBe(expected);
  });

  it.each([
    [Pod, { namespace: "a", name: "" }, 'Pod: "" cannot be a name'],
    [Pod, { namespace: "a", name: ".." }, 'Pod: ".." cannot be a name'],
    [Pod, { namespace: "a", name: "../secrets/x" }, 'Pod: "../secrets/x" cannot be a name'],
    [Pod, { namespace: "", name: "x" }, 'Pod: "" cannot be a namespace'],
    [Pod, { namespace: "a%2fb" }, 'Pod: "a%2fb" cannot be a namespace'],
    [Pod, { name: "x" }, 'Pod "x": say which namespace it is in'],
    [Node, { namespace: "a", name: "x" }, 'Node is cluster-scoped: leave the namespace ("a") out'],
  ])("refuses %#", (of, place, message) => {
    expect(() => pathOf(of, place)).toThrow(message);
  });
});

it("names what errors are about", () => {
  expect(subjectOf(Pod, { namespace: "a", name: "b" })).toBe("Pod a/b");
  expect(subjectOf(Pod, { namespace: "a" })).toBe("Pod in a");
  expect(subjectOf(Node, { name: "b" })).toBe("Node b");
});
