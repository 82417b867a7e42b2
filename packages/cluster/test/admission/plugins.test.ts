import { describe, expect, test } from "vitest";
import { ADMISSION_PLUGINS, orderAdmissionPlugins } from "../../src/admission/index.ts";
import { startTestApiServer } from "../api/harness.ts";

const plugin = (name: string) => ({ name });

describe("orderAdmissionPlugins", () => {
  test("orders plugins like kube-apiserver, custom ones before policies and webhooks", () => {
    const names = ["ResourceQuota", "MutatingAdmissionWebhook", "mine", "Priority", "LimitRanger"];
    expect(orderAdmissionPlugins(names.map(plugin)).map(({ name }) => name)).toEqual([
      "LimitRanger",
      "Priority",
      "mine",
      "MutatingAdmissionWebhook",
      "ResourceQuota",
    ]);
  });
  test("omits plugins that are disabled by default unless they are enabled", () => {
    const all = [plugin("OwnerReferencesPermissionEnforcement"), plugin("Priority")];
    expect(orderAdmissionPlugins(all).map(({ name }) => name)).toEqual(["Priority"]);
    expect(
      orderAdmissionPlugins(all, { enable: ["OwnerReferencesPermissionEnforcement"], disable: ["Priority"] }).map(({ name }) => name),
    ).toEqual(["OwnerReferencesPermissionEnforcement"]);
  });
  test("accepts every known name and throws for others", () => {
    expect(ADMISSION_PLUGINS).toContain("NodeRestriction");
    expect(() => orderAdmissionPlugins([], { enable: ["Nonsense"] })).toThrow(
      expect.objectContaining({ code: "PINTLE6002", message: 'enable-admission-plugins plugin "Nonsense" is unknown' }),
    );
    expect(() => orderAdmissionPlugins([], { enable: ["Priority"], disable: ["Priority"] })).toThrow(
      "[Priority] in enable-admission-plugins and disable-admission-plugins overlapped",
    );
  });
});

test("creates objects in missing namespaces when NamespaceLifecycle is disabled", async () => {
  await using api = await startTestApiServer({ admissionPlugins: { disable: ["NamespaceLifecycle"] } });
  const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } };
  expect((await api.send("POST", "/api/v1/namespaces/nowhere/configmaps", configMap)).status).toBe(201);
});

test("enforces the pod security level of the namespace", async () => {
  await using api = await startTestApiServer();
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
