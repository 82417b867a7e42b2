import { shapeFromSchema } from "pintle/internal/merge";
import type { AnyKind, JsonObject, Shape } from "pintle/kinds";
import * as apiextensions from "pintle/kinds/apiextensions/v1";
import * as apps from "pintle/kinds/apps/v1";
import * as core from "pintle/kinds/core/v1";
import * as networking from "pintle/kinds/networking/v1";
import * as resource from "pintle/kinds/resource/v1";
import { describe, expect, test } from "vitest";
import {
  getDefinition,
  getKindDefinitionName,
  getOpenApiDocument,
  listDefinitionNames,
  listOpenApiPaths,
  listPublishedGroupVersions,
} from "./index.ts";

describe("discovery", () => {
  test("lists groups in the order of kube-apiserver", () => {
    const order = listPublishedGroupVersions().map(({ group, version }) => `${group}/${version}`);
    expect(order.slice(0, 4)).toEqual(["/v1", "apiregistration.k8s.io/v1", "apps/v1", "events.k8s.io/v1"]);
    expect(order.filter((each) => each.startsWith("autoscaling"))).toEqual(["autoscaling/v2", "autoscaling/v1"]);
    const priorities = listPublishedGroupVersions()
      .slice(1)
      .map(({ groupPriority }) => groupPriority);
    expect(priorities).toEqual([...priorities].sort((a, b) => b - a));
  });

  test("lists subresources with their resource", () => {
    const deployments = listPublishedGroupVersions()
      .find(({ group }) => group === "apps")!
      .resources.find(({ name }) => name === "deployments")!;
    expect(deployments).toMatchObject({
      singularName: "deployment",
      namespaced: true,
      kind: "Deployment",
      shortNames: ["deploy"],
      categories: ["all"],
    });
    expect(deployments.subresources).toEqual([
      { name: "scale", kind: "Scale", group: "autoscaling", version: "v1", verbs: ["get", "patch", "update"] },
      { name: "status", kind: "Deployment", verbs: ["get", "patch", "update"] },
    ]);
  });
});

describe("definitions", () => {
  test("exist for every resource", () => {
    for (const { group, version, resources } of listPublishedGroupVersions()) {
      for (const { kind } of resources)
        expect(getKindDefinitionName(group === "" ? version : `${group}/${version}`, kind), kind).toBeDefined();
    }
  });

  test("contain no descriptions", () => {
    const port = getDefinition("io.k8s.api.core.v1.ContainerPort");
    expect(port).toBe(getDefinition("io.k8s.api.core.v1.ContainerPort"));
    expect(port).toEqual({
      properties: {
        containerPort: { default: 0, format: "int32", type: "integer" },
        hostIP: { type: "string" },
        hostPort: { format: "int32", type: "integer" },
        name: { type: "string" },
        protocol: { default: "TCP", enum: ["SCTP", "TCP", "UDP"], type: "string" },
      },
      required: ["containerPort"],
      type: "object",
    });
    // Fields may be named "description", but there must be no description texts.
    for (const name of listDefinitionNames()) expect(JSON.stringify(getDefinition(name)), name).not.toMatch(/"description":"/);
    expect((getDefinition("io.k8s.api.scheduling.v1.PriorityClass")!["properties"] as JsonObject)["description"]).toEqual({
      type: "string",
    });
    expect(getDefinition("io.k8s.api.core.v1.Nothing")).toBeUndefined();
  });
});

describe("OpenAPI documents", () => {
  test("exist for every group-version, every group and the rest", async () => {
    const places = await listOpenApiPaths();
    for (const { group, version } of listPublishedGroupVersions()) {
      expect(places).toContain(group === "" ? `api/${version}` : `apis/${group}/${version}`);
      expect(places).toContain(group === "" ? "api" : `apis/${group}`);
    }
    expect(places).toContain("version");
    expect(await getOpenApiDocument("apis/none/v1")).toBeUndefined();
  });

  test("have operations with their kind and parameters", async () => {
    const { paths } = (await getOpenApiDocument("apis/apps/v1")) as { paths: Record<string, any> };
    const { patch, parameters } = paths["/apis/apps/v1/namespaces/{namespace}/deployments/{name}"];
    expect(patch).toMatchObject({
      operationId: "patchAppsV1NamespacedDeployment",
      tags: ["apps_v1"],
      "x-kubernetes-action": "patch",
      "x-kubernetes-group-version-kind": { group: "apps", version: "v1", kind: "Deployment" },
    });
    expect(patch.parameters.map(({ name }: { name: string }) => name)).toEqual(["dryRun", "fieldManager", "fieldValidation", "force"]);
    expect(parameters.map(({ name }: { name: string }) => name)).toEqual(["name", "namespace", "pretty"]);
    expect(patch.responses["200"].content["application/json"].schema.$ref).toBe("#/components/schemas/io.k8s.api.apps.v1.Deployment");
    expect(paths["/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale"].get["x-kubernetes-group-version-kind"]).toEqual({
      group: "autoscaling",
      version: "v1",
      kind: "Scale",
    });
  });

  test("contain exactly the referenced schemas", async () => {
    for (const place of await listOpenApiPaths()) {
      const document = (await getOpenApiDocument(place)) as { components: { schemas?: JsonObject } };
      const named = new Set([...JSON.stringify(document).matchAll(/#\/components\/schemas\/([^"]+)/g)].map(([, name]) => name));
      expect(new Set(Object.keys(document.components.schemas ?? {})), place).toEqual(named);
    }
  });

  test("add their group-version to the shared schemas", async () => {
    const { components } = (await getOpenApiDocument("apis/batch/v1")) as any;
    expect(components.schemas["io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions"]["x-kubernetes-group-version-kind"]).toEqual([
      { group: "", kind: "DeleteOptions", version: "v1" },
      { group: "batch", kind: "DeleteOptions", version: "v1" },
    ]);
  });
});

// The shape that is generated into a kind equals the one derived from its definition.
test.each(
  [core, apps, networking, resource, apiextensions].flatMap((kinds) =>
    Object.values(kinds as Record<string, AnyKind>).map((kind) => [kind.id, kind] as const),
  ),
)("the shape of %s equals that of its definition", (_, kind) => {
  const schema = getDefinition(getKindDefinitionName(kind.apiVersion, kind.kind)!)!;
  expectSameShape(kind.shape!, shapeFromSchema(schema, getDefinition), kind.id, new Set());
});

/** Compares shapes that may be recursive. */
function expectSameShape(a: Shape, b: Shape, at: string, seen: Set<Shape>): void {
  if (seen.has(a)) return;
  seen.add(a);
  const { fields: aFields, items: aItems, values: aValues, ...aRest } = a;
  const { fields: bFields, items: bItems, values: bValues, ...bRest } = b;
  expect(aRest, at).toEqual(bRest);
  expect(Object.keys(aFields ?? {}).sort(), at).toEqual(Object.keys(bFields ?? {}).sort());
  for (const name of Object.keys(aFields ?? {})) expectSameShape(aFields![name]!, bFields![name]!, `${at}.${name}`, seen);
  expect([aItems === undefined, aValues === undefined], at).toEqual([bItems === undefined, bValues === undefined]);
  if (aItems !== undefined) expectSameShape(aItems, bItems!, `${at}[]`, seen);
  if (aValues !== undefined) expectSameShape(aValues, bValues!, `${at}{}`, seen);
}
