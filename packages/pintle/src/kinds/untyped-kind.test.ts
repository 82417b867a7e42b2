import { expect, test } from "vitest";
import { defineUntypedKind } from "./untyped-kind.ts";

const ServiceMonitor = defineUntypedKind({
  group: "monitoring.coreos.com",
  version: "v1",
  kind: "ServiceMonitor",
  plural: "servicemonitors",
  scope: "Namespaced",
});

test("an untyped kind has identity, plural and scope but no shape", () => {
  expect(ServiceMonitor).toMatchObject({
    id: "monitoring.coreos.com/v1/ServiceMonitor",
    apiVersion: "monitoring.coreos.com/v1",
    plural: "servicemonitors",
    scope: "Namespaced",
    subresources: [],
    shape: undefined,
  });
});

test("its objects are desired as given, without undefined fields", () => {
  const child = ServiceMonitor.desired({ metadata: { name: "web" }, spec: { endpoints: [{ port: "http" }], interval: undefined } });
  expect(child.object).toEqual({
    apiVersion: "monitoring.coreos.com/v1",
    kind: "ServiceMonitor",
    metadata: { name: "web" },
    spec: { endpoints: [{ port: "http" }] },
  });
});
