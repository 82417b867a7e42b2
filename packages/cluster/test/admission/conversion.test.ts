import { expect, test } from "vitest";
import { establishCrd, startTestApiServer } from "../api/harness.ts";

const schema = (properties: object) => ({ openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties } } } });
const crd = (storage: "v1" | "v2") => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "widgets", kind: "Widget" },
    versions: [
      { name: "v1", served: true, storage: storage === "v1", schema: schema({ size: { type: "integer" } }) },
      {
        name: "v2",
        served: true,
        storage: storage === "v2",
        schema: schema({ dimensions: { type: "object", properties: { size: { type: "integer" } } } }),
      },
    ],
    conversion: {
      strategy: "Webhook",
      webhook: { clientConfig: { service: { namespace: "default", name: "hooks", path: "/convert" } }, conversionReviewVersions: ["v1"] },
    },
  },
});
const at = (version: string, name = "") => `/apis/example.com/${version}/namespaces/default/widgets${name}`;

function convertWidget(object: any, apiVersion: string): any {
  const size = object.spec?.size ?? object.spec?.dimensions?.size;
  return { ...object, apiVersion, spec: apiVersion.endsWith("v2") ? { dimensions: { size } } : { size } };
}

test("serves objects stored in any version in every version, also to watches", async () => {
  await using api = await startTestApiServer();
  let conversions = 0;
  api.cluster.routeService({ namespace: "default", name: "hooks" }, async (request) => {
    const review = (await request.json()) as any;
    conversions++;
    const { uid, objects, desiredAPIVersion } = review.request;
    const convertedObjects = objects.map((object: any) => convertWidget(object, desiredAPIVersion));
    return Response.json({
      apiVersion: review.apiVersion,
      kind: review.kind,
      response: { uid, result: { status: "Success" }, convertedObjects },
    });
  });
  await establishCrd(api, crd("v1") as never);
  const watch = await api.watch(at("v2"));
  await api.send("POST", at("v1"), { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "a" }, spec: { size: 3 } });
  expect((await api.send("GET", at("v2", "/a"))).body.spec).toEqual({ dimensions: { size: 3 } });
  expect((await watch.takeEvents()).map(({ type, object }) => [type, object.apiVersion, object.spec])).toEqual([
    ["ADDED", "example.com/v2", { dimensions: { size: 3 } }],
  ]);

  // From here on the other version is the storage version; stored objects stay unchanged.
  const { body } = await api.send("GET", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com");
  await api.send("PUT", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com", { ...body, spec: crd("v2").spec });
  await api.clock.settle();
  await api.send("POST", at("v1"), { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "b" }, spec: { size: 4 } });
  const stored = await api.cluster.server.store.range("/registry/example.com/widgets/");
  expect(stored.entries.map(({ value }) => value["apiVersion"])).toEqual(["example.com/v1", "example.com/v2"]);
  const before = conversions;
  const list = await api.send("GET", at("v2"));
  expect(list.body.items.map((item: any) => item.spec)).toEqual([{ dimensions: { size: 3 } }, { dimensions: { size: 4 } }]);
  expect(conversions, "objects that are in the version already are not converted").toBe(before + 1);
});
