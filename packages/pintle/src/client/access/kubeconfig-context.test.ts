import { describe, expect, it } from "vitest";
import { ConfigError } from "./access-errors.ts";
import type { Kubeconfig, KubeconfigCluster, KubeconfigUser } from "./kubeconfig.ts";
import { resolveContext } from "./kubeconfig-context.ts";

const pem = "-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n";
const base64 = Buffer.from(pem).toString("base64");
const config = (user: KubeconfigUser = {}, cluster: KubeconfigCluster = { server: "https://a" }): Kubeconfig => ({
  "current-context": "main",
  clusters: [{ name: "c", cluster }],
  users: [{ name: "u", user }],
  contexts: [
    { name: "main", context: { cluster: "c", user: "u" } },
    { name: "other", context: { cluster: "c", namespace: "web" } },
  ],
});
const plugin = { apiVersion: "client.authentication.k8s.io/v1", command: "x", interactiveMode: "Never" };

describe("resolveContext", () => {
  it("uses the current context, or the requested one", () => {
    expect(resolveContext(config({ token: "t" }), undefined, "it")).toMatchObject({
      server: "https://a",
      namespace: undefined,
      user: { token: "t" },
    });
    expect(resolveContext(config({ token: "t" }), "other", "it")).toMatchObject({ namespace: "web", user: { token: undefined } });
  });

  it("converts a cluster", () => {
    const extensions = [{ name: "client.authentication.k8s.io/exec", extension: { audience: "x" } }];
    const cluster = { server: "https://a", "tls-server-name": "n", "proxy-url": "http://p", "insecure-skip-tls-verify": true, extensions };
    expect(resolveContext(config({}, cluster), undefined, "it")).toMatchObject({
      tlsServerName: "n",
      proxyUrl: "http://p",
      insecureSkipTlsVerify: true,
      execPluginConfig: { audience: "x" },
    });
  });

  it("prefers inline data to files", () => {
    const cluster = { server: "https://a", "certificate-authority": "/ca", "certificate-authority-data": base64 };
    const user = { "client-certificate-data": base64, "client-key": "/key" };
    expect(resolveContext(config(user, cluster), undefined, "it")).toMatchObject({
      ca: { data: pem },
      user: { clientCertificate: { data: pem }, clientKey: { file: "/key" } },
    });
  });

  it("converts impersonation", () => {
    const user = { as: "jane", "as-uid": "1", "as-groups": ["g"], "as-user-extra": { k: ["v"] } };
    expect(resolveContext(config(user), undefined, "it").user?.impersonate).toEqual({
      user: "jane",
      uid: "1",
      groups: ["g"],
      extra: { k: ["v"] },
    });
  });

  it("converts an exec plugin; v1beta1 may omit interactiveMode", () => {
    const exec = { apiVersion: "client.authentication.k8s.io/v1beta1", command: "aws", env: [{ name: "A", value: "b" }], args: null };
    expect(resolveContext(config({ exec }), undefined, "it").user?.exec).toEqual({
      apiVersion: "client.authentication.k8s.io/v1beta1",
      command: "aws",
      args: [],
      env: { A: "b" },
      installHint: undefined,
      provideClusterInfo: false,
      interactiveMode: "IfAvailable",
    });
  });

  it.each<[string, Kubeconfig, string | undefined, string]>([
    ["no current context", { contexts: [{ name: "a" }] }, undefined, 'it has no current-context: name one of its contexts (it has "a")'],
    ["an unknown context", config(), "nope", 'it has no context "nope": it has "main", "other"'],
    ["an unknown cluster", { ...config(), clusters: [] }, undefined, 'it: context "main" refers to a cluster that does not exist: "c"'],
    ["an unknown user", { ...config(), users: [] }, undefined, 'it: context "main" refers to a user that does not exist: "u"'],
    ["no server", config({}, {}), undefined, 'it, cluster "c" has no server'],
    [
      "a legacy auth provider",
      config({ "auth-provider": { name: "gcp" } }),
      undefined,
      'it, user "u" uses the auth-provider "gcp", which Kubernetes has removed',
    ],
    [
      "a certificate without key",
      config({ "client-certificate": "/a" }),
      undefined,
      'it, user "u" has a client certificate but no client key',
    ],
    [
      "data that is not PEM",
      config({ "client-certificate-data": "eA==" }),
      undefined,
      'it, user "u", client-certificate-data is not PEM in base64',
    ],
    ["token and password", config({ token: "t", username: "u" }), undefined, 'it, user "u" has a token and a password'],
    ["groups without a user", config({ "as-groups": ["g"] }), undefined, 'it, user "u" impersonates a uid, groups or extra without a user'],
    [
      "v1alpha1 plugins",
      config({ exec: { ...plugin, apiVersion: "client.authentication.k8s.io/v1alpha1" } }),
      undefined,
      "are not supported, only",
    ],
    ["a plugin without command", config({ exec: { ...plugin, command: "" } }), undefined, "the exec plugin has no command"],
    [
      "a v1 plugin without interactiveMode",
      config({ exec: { ...plugin, interactiveMode: undefined } }),
      undefined,
      "it must be Never, IfAvailable or Always",
    ],
  ])("refuses %s", (_, given, chosen, message) => {
    expect(() => resolveContext(given, chosen, "it")).toThrow(ConfigError);
    expect(() => resolveContext(given, chosen, "it")).toThrow(message);
  });
});
