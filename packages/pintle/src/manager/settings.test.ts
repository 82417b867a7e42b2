import { expect, test } from "vitest";
import { addressOf } from "./listen.ts";
import { electionOf, settings, webhooksOf } from "./settings.ts";

test("flags and environment of operators' manifests", () => {
  const args = [
    "--leader-elect",
    "--metrics-bind-address=:8443",
    "--metrics-secure=false",
    "--health-probe-bind-address",
    ":9090",
    "-kubeconfig",
    "/x",
    "--zap-devel",
  ];
  expect(settings(args, { WATCH_NAMESPACE: "a, b", POD_NAMESPACE: "system", OPERATOR_NAME: "op" })).toEqual({
    leaderElection: true,
    metrics: ":8443",
    secureMetrics: false,
    metricsCertificate: undefined,
    webhooks: undefined,
    webhookName: undefined,
    webhookCertificate: undefined,
    health: ":9090",
    kubeconfig: "/x",
    namespaces: ["a", "b"],
    podNamespace: "system",
    operatorName: "op",
  });
  expect(settings(["--leader-elect=false"], { WATCH_NAMESPACE: "" })).toMatchObject({
    leaderElection: false,
    namespaces: undefined,
    metrics: undefined,
  });
});

test("the lease of an operator is called as the operator is, beside it", () => {
  const said = (args: readonly string[]) => electionOf(settings(args, { POD_NAMESPACE: "system", OPERATOR_NAME: "memcached-operator" }));
  expect(said(["--leader-elect"])).toEqual({ namespace: "system", name: "memcached-operator" });
  expect(said([])).toBe(false);
});

test("where webhooks and their certificate are, as manifests say it", () => {
  const said = (args: readonly string[], env = {}) => webhooksOf(settings(args, env));
  expect(said([])).toEqual({ address: undefined });
  expect(said(["--webhook-bind-address=:9444", "--webhook-cert-path=/c", "--webhook-cert-name=a.crt"])).toEqual({
    address: ":9444",
    certificates: { cert: "/c/a.crt", key: "/c/tls.key" },
  });
  expect(said(["--webhook-name=shop"], { POD_NAMESPACE: "shop-system" })).toEqual({
    address: undefined,
    certificates: { issued: "shop", namespace: "shop-system" },
  });
  expect(() => said(["--webhook-name=shop"])).toThrow("set POD_NAMESPACE to the namespace it runs in");
});

test("addresses", () => {
  expect(addressOf(":8080")).toEqual({ host: undefined, port: 8080 });
  expect(addressOf("127.0.0.1:0")).toEqual({ host: "127.0.0.1", port: 0 });
  expect(addressOf("[::1]:9")).toEqual({ host: "::1", port: 9 });
  expect([addressOf("0"), addressOf("")]).toEqual([undefined, undefined]);
  expect(() => addressOf("nonsense")).toThrow(/is not an address/);
});
