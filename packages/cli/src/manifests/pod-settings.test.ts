import { startCluster } from "@pintle/cluster";
import { controller, defineResource, z } from "pintle";
import { Deployment } from "pintle/kinds/apps/v1";
import { Namespace } from "pintle/kinds/core/v1";
import { PodDisruptionBudget } from "pintle/kinds/policy/v1";
import { expect, test } from "vitest";
import { buildChart } from "../chart/index.ts";
import { type Config, operatorFromOptions } from "../project/index.ts";
import { buildManifests } from "./index.ts";

const Store = defineResource({ group: "shop.example.com", version: "v1", kind: "Store", spec: z.object({}) });
const operator = operatorFromOptions({ controllers: [controller(Store, { reconcile() {} })] });
const contextOf = (config: Config) => ({
  project: {
    root: "/shop",
    name: "shop",
    version: "1.0.0",
    entry: "src/main.ts",
    namespace: "shop-system",
    image: "shop:1.0.0",
    config,
  },
  operator,
});
const objectOf = (config: Config, kind: string) =>
  buildManifests(contextOf(config)).find(({ object }) => object["kind"] === kind)?.object as any;

const CONFIG: Config = {
  replicas: 2,
  env: {
    LEVEL: "debug",
    URL: { secret: "db", key: "url" },
    MODE: { configMap: "m", key: "mode", optional: true },
    IP: { field: "status.podIP" },
  },
  envFrom: [{ configMap: "features", prefix: "FEATURE_" }, { secret: "more" }],
  args: ["--zone=eu"],
  volumes: {
    ca: { configMap: "ca", mountPath: "/etc/ca" },
    scratch: { emptyDir: { sizeLimit: "1Gi" }, mountPath: "/scratch" },
    claim: { persistentVolumeClaim: "data", mountPath: "/data", subPath: "a" },
  },
  probes: { liveness: { periodSeconds: 30 }, startup: { failureThreshold: 60 } },
  nodeSelector: { "kubernetes.io/os": "linux" },
  tolerations: [{ operator: "Exists" }],
  affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } },
  priorityClassName: "system-cluster-critical",
};

test("the API server stores a Deployment and a PodDisruptionBudget with every configured setting", async () => {
  await using cluster = await startCluster();
  const client = cluster.client();
  await client.create(Namespace, { metadata: { name: "shop-system" } });
  const { spec } = await client.create(Deployment, objectOf(CONFIG, "Deployment"));
  const pod = spec.template.spec!;
  const [manager] = pod.containers;
  expect(manager?.env?.slice(-4)).toEqual([
    { name: "LEVEL", value: "debug" },
    { name: "URL", valueFrom: { secretKeyRef: { name: "db", key: "url" } } },
    { name: "MODE", valueFrom: { configMapKeyRef: { name: "m", key: "mode", optional: true } } },
    { name: "IP", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "status.podIP" } } },
  ]);
  expect(manager?.envFrom).toEqual([{ prefix: "FEATURE_", configMapRef: { name: "features" } }, { secretRef: { name: "more" } }]);
  expect(manager?.args?.at(-1)).toBe("--zone=eu");
  expect(manager?.volumeMounts).toEqual([
    { name: "ca", mountPath: "/etc/ca", readOnly: true },
    { name: "scratch", mountPath: "/scratch" },
    { name: "claim", mountPath: "/data", subPath: "a" },
  ]);
  expect(manager?.livenessProbe).toMatchObject({ initialDelaySeconds: 15, periodSeconds: 30 });
  expect(manager?.startupProbe).toMatchObject({ failureThreshold: 60, httpGet: { path: "/healthz" } });
  expect(pod).toMatchObject({
    nodeSelector: CONFIG.nodeSelector,
    tolerations: CONFIG.tolerations,
    priorityClassName: CONFIG.priorityClassName,
  });
  expect(pod.topologySpreadConstraints?.map(({ topologyKey }) => topologyKey)).toEqual([
    "kubernetes.io/hostname",
    "topology.kubernetes.io/zone",
  ]);
  const budget = await client.create(PodDisruptionBudget, objectOf(CONFIG, "PodDisruptionBudget"));
  expect(budget.spec?.maxUnavailable).toBe(1);
});

test("a single replica has neither a budget nor spread constraints, and both can be configured", () => {
  expect(objectOf({}, "PodDisruptionBudget")).toBeUndefined();
  expect(objectOf({}, "Deployment").spec.template.spec).not.toHaveProperty("topologySpreadConstraints");
  expect(objectOf({ replicas: 3, podDisruptionBudget: false, topologySpread: false }, "PodDisruptionBudget")).toBeUndefined();
  expect(objectOf({ podDisruptionBudget: { minAvailable: "50%" } }, "PodDisruptionBudget").spec.minAvailable).toBe("50%");
});

test("the Helm chart has the same settings", () => {
  const files = buildChart(contextOf(CONFIG));
  const deployment = files.get("dist/chart/templates/manager/manager.yaml");
  for (const part of ["secretKeyRef", "configMapRef", "--zone=eu", "/etc/ca", "failureThreshold: 60", ".Values.topologySpreadConstraints"])
    expect(deployment).toContain(part);
  expect(files.get("dist/chart/values.yaml")).toContain("topologySpreadConstraints: default\n");
  expect(files.get("dist/chart/values.yaml")).toContain("maxUnavailable: 1\n");
  expect(files.get("dist/chart/templates/manager/pod_disruption_budget.yaml")).toContain("toJson .maxUnavailable");
});
