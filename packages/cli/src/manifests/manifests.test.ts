import { controller, defineResource, z } from "pintle";
import type { JsonObject } from "pintle/kinds";
import { ConfigMap } from "pintle/kinds/core/v1";
import { expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { type Config, operatorOf, type Project } from "../project/index.ts";
import { layout, manifests } from "./index.ts";

const Store = defineResource({
  group: "shop.example.com",
  version: "v1",
  kind: "Store",
  spec: z.object({ replicas: z.int32().default(1) }),
  status: z.object({ seen: z.int32() }),
});
const store = controller(Store, { owns: [ConfigMap], reconcile: ({ want }) => want({ children: {}, status: { seen: 1 } }) });
const Extra = defineResource({ group: "shop.example.com", version: "v1", kind: "Extra", scope: "Cluster", spec: z.object({}) });

function context(config: Config = {}) {
  const project: Project = {
    root: "/shop",
    name: "shop",
    version: "1.0.0",
    entry: "src/main.ts",
    namespace: config.namespace ?? "shop-system",
    image: "shop:1.0.0",
    config,
  };
  return { project, operator: operatorOf({ controllers: [store], resources: [Extra] }) };
}
const objects = (config?: Config) => manifests(context(config)).map(({ object }) => object as JsonObject & { metadata: JsonObject });
const named = (kind: string, config?: Config) => objects(config).filter((object) => object["kind"] === kind);

test("one value sets what is watched and what is allowed", () => {
  expect(named("ClusterRole").map(({ metadata }) => metadata["name"])).toContain("shop-manager-role");
  const config = { namespaces: ["b", "a", "b"], namespace: "ops" };
  const roles = named("Role", config).filter(({ metadata }) => metadata["name"] === "shop-manager-role");
  expect(roles.map(({ metadata }) => metadata["namespace"])).toEqual(["a", "b"]);
  expect(named("ClusterRole", config).map(({ metadata }) => metadata["name"])).not.toContain("shop-manager-role");
  expect(layout(context(config)).get("config/manager/manager.yaml")).toContain("name: WATCH_NAMESPACE\n          value: a,b\n");
  expect(layout(context({ namespaces: "own" })).get("config/manager/manager.yaml")).toContain("value: shop-system\n");
});

test("every role that is bound exists, and every binding is of the operator's account", () => {
  const roles = new Set([...named("Role"), ...named("ClusterRole")].map(({ kind, metadata }) => `${kind}/${metadata["name"]}`));
  for (const binding of [...named("RoleBinding"), ...named("ClusterRoleBinding")]) {
    const { kind, name } = binding["roleRef"] as JsonObject;
    expect(roles).toContain(`${kind}/${name}`);
    expect(binding["subjects"]).toEqual([{ kind: "ServiceAccount", name: "shop-controller-manager", namespace: "shop-system" }]);
  }
});

test("roles for people join the cluster's own ones, except those of cluster-scoped kinds", () => {
  const labels = (name: string) => named("ClusterRole").find(({ metadata }) => metadata["name"] === name)?.metadata["labels"];
  expect(labels("shop-store-viewer-role")).toMatchObject({ "rbac.authorization.k8s.io/aggregate-to-view": "true" });
  expect(Object.keys(labels("shop-extra-viewer-role") as JsonObject)).not.toContain("rbac.authorization.k8s.io/aggregate-to-view");
});

test("an overlay has the last word, and cannot change the model", () => {
  const overlay: Config["overlay"] = (object) => {
    if (object["kind"] === "Namespace") return undefined;
    (object["metadata"] as { annotations?: unknown }).annotations = { team: "a" };
    return object;
  };
  const files = layout(context({ overlay }));
  const installed = parseAllDocuments(files.get("dist/install.yaml")!).map((each) => each.toJS());
  expect(installed.some(({ kind }) => kind === "Namespace")).toBe(false);
  expect(installed.every(({ metadata }) => metadata.annotations.team === "a")).toBe(true);
  expect(layout(context()).get("dist/install.yaml")).not.toContain("team: a");
});

test("memory, environment, pull secrets and replicas are the project's to say", () => {
  const config: Config = {
    resources: { limits: { memory: "1Gi" } },
    env: { LEVEL: "debug", NODE_OPTIONS: "--enable-source-maps" },
    imagePullSecrets: ["registry"],
    replicas: 3,
  };
  const [deployment] = named("Deployment", config) as unknown as readonly { spec: any }[];
  const { replicas, template } = deployment!.spec;
  expect(replicas).toBe(3);
  expect(template.spec.imagePullSecrets).toEqual([{ name: "registry" }]);
  const env = template.spec.containers[0].env as readonly { name: string; value?: string }[];
  expect(env.filter(({ name }) => name === "NODE_OPTIONS")).toEqual([{ name: "NODE_OPTIONS", value: "--enable-source-maps" }]);
  expect(layout(context({ resources: { limits: { memory: "1Gi" } } })).get("config/manager/manager.yaml")).toContain(
    "--max-old-space-size=768",
  );
});

test("monitoring is always written, and deployed when asked for", () => {
  const resources = (config: Config) => parse(layout(context(config)).get("config/default/kustomization.yaml")!).resources;
  expect(resources({})).toEqual(["../crd", "../rbac", "../manager"]);
  expect(resources({ prometheus: true, networkPolicy: true })).toEqual([
    "../crd",
    "../rbac",
    "../manager",
    "../network-policy",
    "../prometheus",
  ]);
  expect(layout(context()).has("config/prometheus/monitor.yaml")).toBe(true);
  expect(layout(context()).get("dist/install.yaml")).not.toContain("ServiceMonitor");
});
