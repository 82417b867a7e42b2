import { expect, test } from "vitest";
import { leaderElectionFromFlags, metricsServerFromFlags, parseFlags, webhookServerFromFlags } from "./flags.ts";
import { parseListenAddress } from "./serving/http-server.ts";

test("parses the flags and environment variables of operator manifests", () => {
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
  expect(parseFlags(args, { WATCH_NAMESPACE: "a, b", POD_NAMESPACE: "system", OPERATOR_NAME: "op" })).toEqual({
    leaderElection: true,
    metricsAddress: ":8443",
    secureMetrics: false,
    metricsCertificate: undefined,
    metricsName: undefined,
    webhookAddress: undefined,
    webhookName: undefined,
    webhookCertificate: undefined,
    healthAddress: ":9090",
    kubeconfig: "/x",
    namespaces: ["a", "b"],
    podNamespace: "system",
    operatorName: "op",
  });
  expect(parseFlags(["--leader-elect=false"], { WATCH_NAMESPACE: "" })).toMatchObject({
    leaderElection: false,
    namespaces: undefined,
    metricsAddress: undefined,
  });
});

test("the lease has the name and the namespace of the operator", () => {
  const optionsFrom = (args: readonly string[]) =>
    leaderElectionFromFlags(parseFlags(args, { POD_NAMESPACE: "system", OPERATOR_NAME: "memcached-operator" }));
  expect(optionsFrom(["--leader-elect"])).toEqual({ namespace: "system", name: "memcached-operator" });
  expect(optionsFrom([])).toBe(false);
});

test("metrics are served on the loopback interface, or with TLS and authorization, unless a flag says otherwise", () => {
  const optionsFrom = (...args: string[]) => metricsServerFromFlags(parseFlags(args, {}));
  expect(optionsFrom()).toEqual({ address: "127.0.0.1:8080", requireAuthorization: false, tls: false });
  expect(optionsFrom("--metrics-bind-address=:8443")).toEqual({ address: ":8443", requireAuthorization: true, tls: true });
  expect(optionsFrom("--metrics-bind-address=127.0.0.1.example.com:1")).toMatchObject({ requireAuthorization: true });
  expect(optionsFrom("--metrics-bind-address=127.0.0.1:8443")).toMatchObject({ requireAuthorization: false });
  expect(optionsFrom("--metrics-bind-address=:8080", "--metrics-secure=false")).toMatchObject({ requireAuthorization: false, tls: false });
  const issued = ["--metrics-bind-address=:8443", "--metrics-name=shop"];
  expect(metricsServerFromFlags(parseFlags(issued, { POD_NAMESPACE: "shop-system" })).tls).toEqual({
    issued: "shop",
    namespace: "shop-system",
  });
  expect(() => optionsFrom(...issued)).toThrow("--metrics-name stores certificates");
  expect(optionsFrom("--metrics-bind-address=0")).toMatchObject({ address: "0", requireAuthorization: false });
});

test("webhook address and certificate follow from the flags", () => {
  const optionsFrom = (args: readonly string[], env = {}) => webhookServerFromFlags(parseFlags(args, env));
  expect(optionsFrom([])).toEqual({ address: undefined });
  expect(optionsFrom(["--webhook-bind-address=:9444", "--webhook-cert-path=/c", "--webhook-cert-name=a.crt"])).toEqual({
    address: ":9444",
    certificates: { cert: "/c/a.crt", key: "/c/tls.key" },
  });
  expect(optionsFrom(["--webhook-name=shop"], { POD_NAMESPACE: "shop-system" })).toEqual({
    address: undefined,
    certificates: { issued: "shop", namespace: "shop-system" },
  });
  expect(() => optionsFrom(["--webhook-name=shop"])).toThrow("set POD_NAMESPACE to that namespace");
});

test("parses listen addresses", () => {
  expect(parseListenAddress(":8080")).toEqual({ host: undefined, port: 8080 });
  expect(parseListenAddress("127.0.0.1:0")).toEqual({ host: "127.0.0.1", port: 0 });
  expect(parseListenAddress("[::1]:9")).toEqual({ host: "::1", port: 9 });
  expect([parseListenAddress("0"), parseListenAddress("")]).toEqual([undefined, undefined]);
  expect(() => parseListenAddress("nonsense")).toThrow(/is not an address/);
});
