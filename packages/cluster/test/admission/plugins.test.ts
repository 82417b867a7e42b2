import { describe, expect, test } from "vitest";
import { ADMISSION_PLUGINS, chain } from "../../src/admission/index.ts";
import { startApi } from "../api/harness.ts";

const plugin = (name: string) => ({ name });

describe("the chain", () => {
  test("runs in the order of kube-apiserver, strangers before what users configure", () => {
    const names = ["ResourceQuota", "MutatingAdmissionWebhook", "mine", "Priority", "LimitRanger"];
    expect(chain(names.map(plugin)).map(({ name }) => name)).toEqual([
      "LimitRanger",
      "Priority",
      "mine",
      "MutatingAdmissionWebhook",
      "ResourceQuota",
    ]);
  });
  test("leaves out what is off, unless it is asked for", () => {
    const all = [plugin("OwnerReferencesPermissionEnforcement"), plugin("Priority")];
    expect(chain(all).map(({ name }) => name)).toEqual(["Priority"]);
    expect(chain(all, { enable: ["OwnerReferencesPermissionEnforcement"], disable: ["Priority"] }).map(({ name }) => name)).toEqual([
      "OwnerReferencesPermissionEnforcement",
    ]);
  });
  test("knows every name, and no other", () => {
    expect(ADMISSION_PLUGINS).toContain("NodeRestriction");
    expect(() => chain([], { enable: ["Nonsense"] })).toThrow('enable-admission-plugins plugin "Nonsense" is unknown');
    expect(() => chain([], { enable: ["Priority"], disable: ["Priority"] })).toThrow(
      "[Priority] in enable-admission-plugins and disable-admission-plugins overlapped",
    );
  });
});

test("a cluster without its NamespaceLifecycle takes objects of namespaces that are not there", async () => {
  await using api = await startApi({ admissionPlugins: { disable: ["NamespaceLifecycle"] } });
  const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } };
  expect((await api.send("POST", "/api/v1/namespaces/nowhere/configmaps", configMap)).status).toBe(201);
});

test("pods are held to the level of their namespace", async () => {
  await using api = await startApi();
  const labels = { "pod-security.kubernetes.io/enforce": "baseline" };
  await api.send("POST", "/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: "safe", labels } });
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "a" },
    spec: { hostNetwork: true, containers: [{ name: "main", image: "app" }] },
  };
  const { status, body } = await api.send("POST", "/api/v1/namespaces/safe/pods", pod);
  expect(status).toBe(403);
  expect(body.message).toBe('pods "a" is forbidden: violates PodSecurity "baseline:latest": host namespaces (hostNetwork=true)');
});
