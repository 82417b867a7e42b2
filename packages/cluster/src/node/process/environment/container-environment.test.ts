import type { Container, Pod, Service } from "pintle/kinds/core/v1";
import { expect, test } from "vitest";
import { buildEnvironment, type EnvironmentSources, expandVariables } from "./container-environment.ts";

const bytes = (map: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(map).map(([key, value]) => [key, Buffer.from(value)]));
const service = {
  metadata: { name: "my-db" },
  spec: { clusterIP: "10.96.0.7", ports: [{ port: 5432, name: "sql" }] },
} as unknown as Service;
const facts: EnvironmentSources = {
  podIP: "10.244.0.2",
  hostIP: "10.244.0.1",
  nodeName: "node-1",
  allocatable: { cpu: "4", memory: "8Gi" },
  services: [service],
  configSources: {
    configMap: async (_, name) => (name === "config" ? bytes({ mode: "fast", level: "3" }) : undefined),
    secret: async (_, name) => (name === "secret" ? bytes({ key: "s3" }) : undefined),
  },
};
const pod = {
  metadata: { name: "p", namespace: "ns", uid: "u", labels: { app: "x" }, annotations: { b: "2", a: "1" } },
  spec: { serviceAccountName: "robot", containers: [{ name: "c", resources: { limits: { cpu: "1500m" }, requests: { memory: "64Mi" } } }] },
} as unknown as Pod;
const of = (change: Partial<Container>) => buildEnvironment(pod, { ...pod.spec.containers[0]!, ...change }, facts);
const value = async (valueFrom: object) => (await of({ env: [{ name: "V", valueFrom }] }))["V"];

test("expands references to earlier variables and services, and leaves unknown ones unchanged", async () => {
  const env = await of({
    env: [
      { name: "A", value: "1" },
      { name: "B", value: "$(A)-$(MY_DB_SERVICE_HOST)-$(C)-$$(A)" },
    ],
  });
  expect(env["B"]).toBe("1-10.96.0.7-$(C)-$(A)");
});

test.each([
  [{ fieldRef: { fieldPath: "metadata.name" } }, "p"],
  [{ fieldRef: { fieldPath: "metadata.labels['app']" } }, "x"],
  [{ fieldRef: { fieldPath: "status.podIP" } }, "10.244.0.2"],
  [{ fieldRef: { fieldPath: "status.hostIP" } }, "10.244.0.1"],
  [{ fieldRef: { fieldPath: "spec.nodeName" } }, "node-1"],
  [{ fieldRef: { fieldPath: "spec.serviceAccountName" } }, "robot"],
  [{ resourceFieldRef: { resource: "limits.cpu" } }, "2"],
  [{ resourceFieldRef: { resource: "limits.cpu", divisor: "1m" } }, "1500"],
  [{ resourceFieldRef: { resource: "requests.memory", divisor: "1Mi" } }, "64"],
  [{ resourceFieldRef: { resource: "limits.memory", divisor: "1Gi" } }, "8"],
  [{ configMapKeyRef: { name: "config", key: "mode" } }, "fast"],
  [{ configMapKeyRef: { name: "none", key: "mode", optional: true } }, undefined],
  [{ secretKeyRef: { name: "secret", key: "key" } }, "s3"],
])("resolves %j to %s", async (from, expected) => {
  expect(await value(from)).toBe(expected);
});

test("throws with the name of a missing ConfigMap, Secret or key", async () => {
  await expect(value({ configMapKeyRef: { name: "none", key: "a" } })).rejects.toThrow('configmap "none" not found');
  await expect(value({ secretKeyRef: { name: "secret", key: "a" } })).rejects.toThrow("couldn't find key a in Secret ns/secret");
  await expect(of({ envFrom: [{ configMapRef: { name: "none" } }] })).rejects.toThrow('configmap "none" not found');
});

test("adds a whole ConfigMap with a prefix, and the service links", async () => {
  const env = await of({ envFrom: [{ prefix: "P_", configMapRef: { name: "config" } }] });
  expect(env).toMatchObject({
    P_mode: "fast",
    P_level: "3",
    MY_DB_SERVICE_HOST: "10.96.0.7",
    MY_DB_SERVICE_PORT: "5432",
    MY_DB_SERVICE_PORT_SQL: "5432",
    MY_DB_PORT: "tcp://10.96.0.7:5432",
    MY_DB_PORT_5432_TCP_ADDR: "10.96.0.7",
    MY_DB_PORT_5432_TCP_PROTO: "tcp",
  });
});

test("unescapes two dollars to one", () => {
  expect(expandVariables("$$ $$(A) $(A) $A", () => "x")).toBe("$ $(A) x $A");
});
