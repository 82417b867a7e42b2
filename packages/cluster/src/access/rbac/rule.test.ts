import { describe, expect, test } from "vitest";
import type { ResourceAttributes } from "../../api/index.ts";
import { allowsPath, allowsResource, type PolicyRule } from "./rule.ts";

const rule = (verbs: string, apiGroups: string, resources: string, resourceNames?: string): PolicyRule => ({
  verbs: verbs.split(" "),
  apiGroups: apiGroups.split(" "),
  resources: resources.split(" "),
  ...(resourceNames === undefined ? {} : { resourceNames: resourceNames.split(" ") }),
});
/** Parses "get apps deployments/scale web". */
const access = (text: string): ResourceAttributes => {
  const [verb = "", group = "", path = "", name = ""] = text.split(" ");
  const [resource = "", subresource = ""] = path.split("/");
  return { type: "resource", verb, group: group === "core" ? "" : group, resource, subresource, namespace: "", name };
};

describe("a resource rule", () => {
  test.each<[PolicyRule, string, boolean]>([
    [rule("get list", "apps", "deployments"), "get apps deployments", true],
    [rule("get list", "apps", "deployments"), "watch apps deployments", false],
    [rule("get list", "apps", "deployments"), "get batch deployments", false],
    [rule("get list", "apps", "deployments"), "get apps replicasets", false],
    [rule("*", "*", "*"), "frobnicate example.com widgets/polish x", true],
    [rule("get", "*", "pods"), "get core pods", true],
    [rule("get", "apps", "deployments"), "get apps deployments/scale web", false],
    [rule("get", "apps", "deployments/scale"), "get apps deployments/scale web", true],
    [rule("get", "apps", "deployments/scale"), "get apps deployments web", false],
    [rule("get", "apps", "*/scale"), "get apps deployments/scale web", true],
    [rule("get", "apps", "*/scale"), "get apps deployments web", false],
    [rule("get", "apps", "*/scale"), "get apps deployments/status web", false],
    [rule("get", "apps", "deployments/*"), "get apps deployments/scale web", false],
    [rule("get", "apps", "*"), "get apps deployments/scale web", true],
    [rule("get", "apps", "deployments", "web api"), "get apps deployments api", true],
    [rule("get", "apps", "deployments", "web api"), "get apps deployments db", false],
    [rule("list", "apps", "deployments", "web"), "list apps deployments", false],
    [rule("list", "apps", "deployments", "web"), "list apps deployments web", true],
    [{ verbs: ["get"], nonResourceURLs: ["*"] }, "get core pods", false],
  ])("%j and %s: %s", (given, wanted, allowed) => {
    expect(allowsResource(given, access(wanted))).toBe(allowed);
  });
});

describe("a non-resource URL rule", () => {
  test.each<[string, string, string, boolean]>([
    ["get", "/healthz", "get /healthz", true],
    ["get", "/healthz", "get /healthz/", false],
    ["get", "/healthz", "post /healthz", false],
    ["*", "/healthz", "post /healthz", true],
    ["get", "/apis/*", "get /apis/apps/v1", true],
    ["get", "/apis/*", "get /apis", false],
    ["get", "/api*", "get /apis/apps", true],
    ["get", "*", "get /anything", true],
    ["get", "/a/*/b", "get /a/x/b", false],
  ])("%s %s and %s: %s", (verb, url, wanted, allowed) => {
    const [requestedVerb = "", path = ""] = wanted.split(" ");
    expect(allowsPath({ verbs: [verb], nonResourceURLs: [url] }, requestedVerb, path)).toBe(allowed);
  });
  test("does not allow access to resources", () => {
    expect(allowsPath(rule("*", "*", "*"), "get", "/healthz")).toBe(false);
  });
});
