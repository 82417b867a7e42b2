import { clusterTest } from "@pintle/cluster/vitest";
import { hasCondition } from "pintle/client";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { Deployment } from "pintle/kinds/apps/v1";
import { HorizontalPodAutoscaler } from "pintle/kinds/autoscaling/v2";
import { Job } from "pintle/kinds/batch/v1";
import { Service } from "pintle/kinds/core/v1";
import { objectFixture, simulate } from "pintle/testing";
import { expect, test as plainTest, vi } from "vitest";
import { HTTPRoute, Website, website } from "../src/website.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });
const within = { timeout: 60_000 };
const migration = ["migrate"];
const imageOf = (deployment: Deployment | undefined) => deployment?.spec.template.spec?.containers[0]?.image;
const ended = (type: "Complete" | "Failed") => ({ status: { conditions: [{ type, status: "True" as const, message: "because" }] } });

plainTest("rolls an image out only after its migration, and keeps the old one when the migration fails", async () => {
  const ref = { name: "a", namespace: "default" };
  const simulation = await simulate(website, [Website.desired({ metadata: ref, spec: { image: "web:1", migration } })]);
  const endJob = async (type: "Complete" | "Failed") => {
    const job = simulation.list(Job).find(({ status }) => status?.conditions === undefined);
    await simulation.put(objectFixture(Job, job!.metadata.name, { metadata: { namespace: "default" }, ...ended(type) }));
  };
  expect(simulation.get(Deployment, ref)).toBeUndefined();
  await endJob("Complete");
  expect(imageOf(simulation.get(Deployment, ref))).toBe("web:1");
  await simulation.put(Website.desired({ metadata: ref, spec: { image: "web:2", migration } }));
  await endJob("Failed");
  expect(imageOf(simulation.get(Deployment, ref))).toBe("web:1");
  const { status } = simulation.get(Website, ref)!;
  expect(status?.conditions?.find(({ type }) => type === "Migrated")).toMatchObject({ status: "False", reason: "MigrationFailed" });
  await simulation.put(Website.desired({ metadata: ref, spec: { image: "web:3", migration } }));
  await endJob("Complete");
  expect(imageOf(simulation.get(Deployment, ref))).toBe("web:3");
});

const test = clusterTest({
  operator: async ({ client }) => {
    await client.apply(CustomResourceDefinition, gatewayApi());
    return { controllers: [website] };
  },
});

test("creates its children and becomes Available after the migration", async ({ client, namespace }) => {
  const ref = { name: "shop", namespace };
  await client.apply(Website, { metadata: ref, spec: { image: "web:1", host: "shop.example.com", migration } });
  const { status } = await client.waitFor(Website, ref, hasCondition("Available"), within);
  expect(status).toMatchObject({ image: "web:1", ready: 1 });
  expect((await client.list(Job, { namespace })).items).toMatchObject([{ status: { succeeded: 1 } }]);
  expect((await client.get(Service, ref)).spec.ports).toMatchObject([{ port: 80, targetPort: "http" }]);
  const route = await client.waitFor(HTTPRoute, ref, () => true, within);
  expect(route).toMatchObject({ spec: { hostnames: ["shop.example.com"], parentRefs: [{ name: "public" }] } });
});

test("leaves the number of replicas to the autoscaler", async ({ client, namespace }) => {
  const ref = { name: "scaled", namespace };
  await client.apply(Website, { metadata: ref, spec: { image: "web:1" } });
  await client.waitFor(HorizontalPodAutoscaler, ref, () => true, within);
  await client.waitFor(Website, ref, hasCondition("Available"), within);
  await client.scale.patch(Deployment, ref, { merge: { spec: { replicas: 3 } } });
  await client.apply(Website, { metadata: ref, spec: { image: "web:2" } });
  const deployment = await client.waitFor(Deployment, ref, (each) => imageOf(each) === "web:2", within);
  expect(deployment.spec.replicas).toBe(3);
});

test("refuses bounds in the wrong order", async ({ client, namespace }) => {
  const spec = { image: "web:1", minReplicas: 4 };
  await expect(client.apply(Website, { metadata: { name: "a", namespace }, spec })).rejects.toThrow(
    "minReplicas must not exceed maxReplicas",
  );
});

function gatewayApi() {
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } } as const;
  const names = { kind: "HTTPRoute", listKind: "HTTPRouteList", plural: "httproutes", singular: "httproute" };
  // The API server accepts the group, which is protected, only with a reference to its approval.
  const annotations = { "api-approved.kubernetes.io": "https://github.com/kubernetes-sigs/gateway-api/pull/3328" };
  const versions = [{ name: "v1", served: true, storage: true, schema }];
  const metadata = { name: "httproutes.gateway.networking.k8s.io", annotations };
  return { metadata, spec: { group: "gateway.networking.k8s.io", scope: "Namespaced" as const, names, versions } };
}
