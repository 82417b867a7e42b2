import { expect, test } from "vitest";
import { foreign } from "./foreign.ts";

const ServiceMonitor = foreign({
  group: "monitoring.coreos.com",
  version: "v1",
  kind: "ServiceMonitor",
  plural: "servicemonitors",
  scope: "Namespaced",
});

test("a foreign kind has identity, place and no shape", () => {
  expect(ServiceMonitor).toMatchObject({
    id: "monitoring.coreos.com/v1/ServiceMonitor",
    apiVersion: "monitoring.coreos.com/v1",
    plural: "servicemonitors",
    scope: "Namespaced",
    subresources: [],
    shape: undefined,
  });
});

test("its objects are written as given", () => {
  const child = ServiceMonitor.desired({ metadata: { name: "web" }, spec: { endpoints: [{ port: "http" }], interval: undefined } });
  expect(child.object).toEqual({
    apiVersion: "monitoring.coreos.com/v1",
    kind: "ServiceMonitor",
    metadata: { name: "web" },
    spec: { endpoints: [{ port: "http" }] },
  });
});
