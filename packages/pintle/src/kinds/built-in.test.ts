import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { CustomResourceDefinition } from "./generated/apiextensions/v1.ts";
import { Deployment, StatefulSet } from "./generated/apps/v1.ts";
import { TokenReview } from "./generated/authentication/v1.ts";
import { HorizontalPodAutoscaler as HorizontalPodAutoscalerV1 } from "./generated/autoscaling/v1.ts";
import { HorizontalPodAutoscaler } from "./generated/autoscaling/v2.ts";
import { ConfigMap, Node, Pod, Secret, Service } from "./generated/core/v1.ts";
import { NetworkPolicy } from "./generated/networking/v1.ts";
import { ClusterRole } from "./generated/rbac/v1.ts";
import type { AnyKind } from "./kind.ts";
import type { Shape } from "./shape.ts";

const folder = path.join(import.meta.dirname, "generated");
const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));

test("built-in kinds have group, version, plural, scope and subresources", () => {
  expect(Deployment).toMatchObject({
    id: "apps/v1/Deployment",
    plural: "deployments",
    scope: "Namespaced",
    subresources: ["scale", "status"],
  });
  expect(Node).toMatchObject({ id: "v1/Node", group: "", apiVersion: "v1", plural: "nodes", scope: "Cluster" });
  expect(ClusterRole).toMatchObject({ group: "rbac.authorization.k8s.io", version: "v1", subresources: [] });
  expect([HorizontalPodAutoscaler.version, HorizontalPodAutoscalerV1.version]).toEqual(["v2", "v1"]);
  expect(TokenReview).toMatchObject({ plural: "tokenreviews", scope: "Cluster" });
});

test("a desired Secret with stringData is refused with what to write instead", () => {
  const body = { metadata: { name: "db" }, stringData: { password: "hunter2" } };
  expect(() => Secret.desired(body as never)).toThrow(
    expect.objectContaining({ code: "PINTLE1062", message: expect.stringMatching(/^Secret db: .*data: encodeSecretData/) }),
  );
});

test("a group-version imports no other group-version at run time", () => {
  for (const name of files) {
    const imports = readFileSync(path.join(folder, name), "utf8").match(/^import (?!type ).*$/gm) ?? [];
    expect(imports.map((line) => /from "(.*)"/.exec(line)![1])).toEqual(["../../kind.ts", "../../shape-table.ts"]);
  }
});

describe("shapes", () => {
  test.each([
    [Pod, "spec.containers", { list: "map", keys: ["name"], patch: { strategy: ["merge"], mergeKey: "name" } }],
    [
      Pod,
      "spec.containers[].ports",
      { list: "map", keys: ["containerPort", "protocol"], keyDefaults: { containerPort: 0, protocol: "TCP" } },
    ],
    [Pod, "spec.containers[].env[].valueFrom.secretKeyRef", { atomic: true }],
    [Pod, "spec.containers[].resources.limits", { values: { scalar: "quantity" } }],
    [Pod, "spec.containers[].livenessProbe.httpGet.port", { scalar: "intOrString" }],
    [Pod, "spec.containers[].args", { list: "atomic", items: { scalar: "string" } }],
    [Pod, "spec.nodeSelector", { atomic: true, values: { scalar: "string" } }],
    [Pod, "spec.tolerations", { list: "atomic" }],
    [
      Pod,
      "spec.topologySpreadConstraints",
      { list: "map", keys: ["topologyKey", "whenUnsatisfiable"], patch: { mergeKey: "topologyKey" } },
    ],
    [Pod, "spec.volumes", { keys: ["name"], patch: { strategy: ["merge", "retainKeys"], mergeKey: "name" } }],
    [Pod, "status.podIPs", { list: "map", keys: ["ip"] }],
    [Pod, "metadata.finalizers", { list: "set" }],
    [Pod, "metadata.ownerReferences", { list: "map", keys: ["uid"] }],
    [Pod, "metadata.creationTimestamp", { scalar: "time" }],
    [Pod, "metadata.managedFields[].fieldsV1", { values: { untyped: true } }],
    [Service, "spec.ports", { keys: ["port", "protocol"], keyDefaults: { port: 0, protocol: "TCP" }, patch: { mergeKey: "port" } }],
    [Service, "spec.selector", { atomic: true }],
    [Deployment, "spec.selector", { atomic: true }],
    [Deployment, "spec.strategy", { patch: { strategy: ["retainKeys"] } }],
    [Deployment, "spec.template.spec.containers", { list: "map", keys: ["name"] }],
    [Deployment, "spec.replicas", { scalar: "number" }],
    [StatefulSet, "spec.volumeClaimTemplates[].spec.resources.requests", { values: { scalar: "quantity" } }],
    [NetworkPolicy, "spec.ingress", { list: "atomic" }],
    [Secret, "data", { values: { scalar: "string" } }],
    [CustomResourceDefinition, "spec.versions[].schema.openAPIV3Schema.default", { untyped: true }],
    [CustomResourceDefinition, "spec.versions[].additionalPrinterColumns", { list: "atomic" }],
  ] as readonly (readonly [AnyKind, string, object])[])("$id %s", (kind, at, expected) => {
    expect(shapeAt(kind, at)).toMatchObject(expected);
  });

  test("recursive types are linked objects", () => {
    const schema = shapeAt(CustomResourceDefinition, "spec.versions[].schema.openAPIV3Schema");
    expect(schema.fields!["properties"]!.values).toBe(schema);
  });

  test("are built lazily and once", () => {
    expect(ConfigMap.shape).toBe(ConfigMap.shape);
    expect(Object.getOwnPropertyDescriptor(ConfigMap, "shape")?.get).toBeTypeOf("function");
  });

  test("can be built for every kind", async () => {
    let kinds = 0;
    for (const name of files) {
      const module = (await import(/* @vite-ignore */ path.join(folder, name))) as Record<string, AnyKind>;
      for (const kind of Object.values(module)) {
        kinds++;
        expect(kind.shape?.fields?.["metadata"]?.fields?.["name"], kind.id).toEqual({ scalar: "string" });
      }
    }
    expect(kinds).toBeGreaterThan(60);
  });

  function shapeAt(kind: AnyKind, at: string): Shape {
    let shape = kind.shape!;
    for (const step of at.split(/\.|(?=\[\])/)) shape = step === "[]" ? shape.items! : shape.fields![step]!;
    return shape;
  }
});
