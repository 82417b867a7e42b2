import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  APPLY,
  CRDS,
  establishCrd,
  JSON_PATCH,
  MERGE,
  START,
  startTestApiServer,
  type TestApiServer,
  WIDGET_SCHEMA,
  WIDGETS,
  widget,
  widgetCrd,
} from "./harness.ts";

let api: TestApiServer;
beforeEach(async () => {
  api = await startTestApiServer();
});
afterEach(() => api.cluster.stop());

const crd = async (name = "widgets.example.com") => (await api.send("GET", `${CRDS}/${name}`)).body;
const conditions = async (name?: string) =>
  Object.fromEntries((await crd(name)).status.conditions.map((each: any) => [each.type, `${each.status} ${each.reason}: ${each.message}`]));

describe("a CustomResourceDefinition", () => {
  test("sets NamesAccepted and then Established, as a watch shows", async () => {
    const watch = await api.watch(CRDS);
    const { body } = await api.send("POST", CRDS, widgetCrd());
    expect(body).toMatchObject({
      metadata: { generation: 1 },
      spec: { names: { singular: "widget", listKind: "WidgetList" }, conversion: { strategy: "None" } },
      status: { storedVersions: ["v1"], acceptedNames: { plural: "", kind: "" } },
    });
    const events = (await watch.takeEvents()).map(({ type, object }) => [
      type,
      object.status.conditions?.map((each: any) => `${each.type}=${each.status}`),
    ]);
    expect(events.map(([type]) => type)).toEqual(["ADDED", "MODIFIED", "MODIFIED"]);
    expect(events[1]?.[1]).toEqual(["NamesAccepted=True", "Established=False"]);
    expect(events[2]?.[1]).toEqual(["NamesAccepted=True", "Established=True"]);
    expect(await conditions()).toEqual({
      NamesAccepted: "True NoConflicts: no conflicts found",
      Established: "True InitialNamesAccepted: the initial names have been accepted",
    });
    expect((await crd()).status.acceptedNames).toEqual({ plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" });
    expect((await crd()).metadata.managedFields).toContainEqual(
      expect.objectContaining({ manager: "kube-apiserver", subresource: "status" }),
    );
  });

  test("has an APIService for every served version, which is deleted with it", async () => {
    const services = async () => {
      const { body } = await api.send("GET", "/apis/apiregistration.k8s.io/v1/apiservices");
      return body.items.filter((each: any) => each.spec.group === "example.com").map((each: any) => each.metadata.name);
    };
    await establishCrd(api, widgetCrd());
    await api.clock.settle();
    expect(await services()).toEqual(["v1.example.com"]);
    const { body } = await api.send("GET", "/apis/apiregistration.k8s.io/v1/apiservices/v1.example.com");
    expect(body).toMatchObject({
      metadata: { labels: { "kube-aggregator.kubernetes.io/automanaged": "true" }, managedFields: [{ manager: "kube-apiserver" }] },
      spec: { group: "example.com", version: "v1", groupPriorityMinimum: 1000, versionPriority: 100 },
      status: { conditions: [{ type: "Available", status: "True", reason: "Local" }] },
    });
    await api.send("DELETE", `${CRDS}/widgets.example.com`);
    await api.clock.settle();
    expect(await services()).toEqual([]);
  });

  test("appears in discovery and OpenAPI once it is established", async () => {
    await establishCrd(api, widgetCrd({ spec: { names: { plural: "widgets", kind: "Widget", shortNames: ["wd"], categories: ["all"] } } }));
    expect((await api.send("GET", "/apis/example.com/v1")).body.resources).toMatchObject([
      { name: "widgets", singularName: "widget", namespaced: true, kind: "Widget", shortNames: ["wd"], categories: ["all"] },
      { name: "widgets/status", kind: "Widget", verbs: ["get", "patch", "update"] },
      { name: "widgets/scale", group: "autoscaling", version: "v1", kind: "Scale" },
    ]);
    const { paths } = (await api.send("GET", "/openapi/v3")).body;
    const url = paths["apis/example.com/v1"].serverRelativeURL;
    const document = await api.send("GET", url);
    expect(document.headers["cache-control"]).toBe("public, immutable");
    expect(Object.keys(document.body.paths)).toContain("/apis/example.com/v1/namespaces/{namespace}/widgets/{name}");
    await api.send(
      "PATCH",
      `${CRDS}/widgets.example.com`,
      [{ op: "add", path: "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/extra", value: { type: "string" } }],
      { type: "application/json-patch+json" },
    );
    const after = (await api.send("GET", "/openapi/v3")).body.paths["apis/example.com/v1"].serverRelativeURL;
    expect(after).not.toBe(url);
  });

  test("waits for names that another CRD has, and gets them when that CRD is deleted", async () => {
    await establishCrd(api, widgetCrd());
    await establishCrd(api, widgetCrd({ plural: "gadgets", spec: { names: { plural: "gadgets", kind: "Widget" } } }));
    expect(await conditions("gadgets.example.com")).toEqual({
      NamesAccepted: 'False ListKindConflict: "WidgetList" is already in use',
      Established: "False NotAccepted: not all names are accepted",
    });
    expect((await api.send("GET", "/apis/example.com/v1/gadgets")).status).toBe(404);
    await api.send("DELETE", `${CRDS}/widgets.example.com`);
    await api.clock.settle();
    expect((await conditions("gadgets.example.com"))["Established"]).toMatch(/^True/);
    expect((await api.send("GET", "/apis/example.com/v1/gadgets")).status).toBe(200);
  });

  test.each([
    [
      "a name that does not fit",
      { metadata: { name: "wrong" } },
      'CustomResourceDefinition.apiextensions.k8s.io "wrong" is invalid: metadata.name: Invalid value: "wrong": must be spec.names.plural+"."+spec.group',
    ],
  ])("is refused with %s", async (_, change, message) => {
    expect(await api.send("POST", CRDS, { ...widgetCrd(), ...change })).toMatchObject({ status: 422, body: { message } });
  });
});

describe("versions", () => {
  const second = {
    name: "v2",
    served: true,
    storage: true,
    schema: {
      openAPIV3Schema: {
        ...WIDGET_SCHEMA,
        properties: {
          spec: { type: "object", properties: { ...WIDGET_SCHEMA.properties.spec.properties, weight: { type: "integer", default: 7 } } },
        },
      },
    },
    subresources: { status: {} },
  };
  const V2 = WIDGETS.replace("/v1/", "/v2/");

  beforeEach(async () => {
    await establishCrd(api, widgetCrd());
    await api.send("POST", WIDGETS, widget("a", { spec: { size: 1 } }));
    const before = await crd();
    await api.send("PUT", `${CRDS}/widgets.example.com`, {
      ...before,
      spec: { ...before.spec, versions: [{ ...before.spec.versions[0], storage: false, deprecated: true }, second] },
    });
    await api.clock.settle();
  });

  test("serve every object, each with its own schema", async () => {
    expect((await crd()).status.storedVersions).toEqual(["v1", "v2"]);
    const old = await api.send("GET", `${WIDGETS}/a`);
    expect([old.body.apiVersion, old.body.spec]).toEqual(["example.com/v1", { size: 1, color: "red" }]);
    expect(old.warnings).toEqual(["example.com/v1 Widget is deprecated; use example.com/v2 Widget"]);
    const current = await api.send("GET", `${V2}/a`);
    expect([current.body.apiVersion, current.body.spec]).toEqual(["example.com/v2", { size: 1, color: "red", weight: 7 }]);
  });

  test("are stored in the storage version", async () => {
    await api.send("PATCH", `${WIDGETS}/a`, { spec: { size: 2 } }, { type: MERGE });
    const stored = await api.cluster.server.store.get("/registry/example.com/widgets/default/a");
    expect(stored?.value["apiVersion"]).toBe("example.com/v2");
    const watch = await api.watch(WIDGETS);
    await api.send("PATCH", `${V2}/a`, { spec: { weight: 8 } }, { type: MERGE });
    expect((await watch.takeEvents()).map(({ object }) => [object.apiVersion, object.spec.weight])).toEqual([
      ["example.com/v1", undefined],
      ["example.com/v1", undefined],
    ]);
  });

  test("that lack a field of another version make apply fail while a manager owns fields in them", async () => {
    await api.send("PATCH", `${WIDGETS}/b?fieldManager=old`, widget("b", { spec: { size: 1 } }), { type: APPLY });
    const newer = { ...widget("b", { spec: { color: "blue" } }), apiVersion: "example.com/v2" };
    expect(await api.send("PATCH", `${V2}/b?fieldManager=new`, newer, { type: APPLY })).toMatchObject({
      status: 500,
      body: { message: ".spec.weight: field not declared in schema" },
    });
  });

  test("cannot be removed while they are in status.storedVersions", async () => {
    const before = await crd();
    const { status, body } = await api.send("PUT", `${CRDS}/widgets.example.com`, {
      ...before,
      spec: { ...before.spec, versions: [second] },
    });
    expect([status, body.details.causes[0].field]).toEqual([422, "status.storedVersions[0]"]);
  });
});

describe("deleting a CustomResourceDefinition", () => {
  beforeEach(() => establishCrd(api, widgetCrd()));

  test("deletes its objects, then the kind", async () => {
    await api.send("POST", WIDGETS, widget("a"));
    const watch = await api.watch(WIDGETS);
    const { status, body } = await api.send("DELETE", `${CRDS}/widgets.example.com`);
    expect(status).toBe(200);
    expect(body.metadata).toMatchObject({
      deletionTimestamp: START,
      finalizers: ["customresourcecleanup.apiextensions.k8s.io"],
      generation: 1,
    });
    expect((await watch.takeEvents()).map(({ type }) => type)).toEqual(["ADDED", "DELETED"]);
    expect(watch.hasEnded()).toBe(true);
    expect((await api.send("GET", `${CRDS}/widgets.example.com`)).status).toBe(404);
    expect((await api.send("GET", WIDGETS)).status).toBe(404);
    expect((await api.send("GET", "/apis/example.com")).status).toBe(404);
  });

  test("waits for finalizers of objects and refuses creates", async () => {
    await api.send("POST", WIDGETS, widget("a", { metadata: { finalizers: ["example.com/hold"] } }));
    await api.send("DELETE", `${CRDS}/widgets.example.com`);
    await api.clock.settle();
    expect((await conditions())["Terminating"]).toBe("True InstanceDeletionInProgress: CustomResource deletion is in progress");
    expect((await api.send("GET", `${WIDGETS}/a`)).body.metadata.deletionTimestamp).toBe(START);
    const refused = await api.send("POST", WIDGETS, widget("b"));
    expect([refused.status, refused.body.message]).toEqual([
      403,
      'widgets.example.com "b" is forbidden: create not allowed while custom resource definition is terminating',
    ]);
    await api.send("PATCH", `${WIDGETS}/a`, { metadata: { finalizers: null } }, { type: MERGE });
    await api.clock.settle();
    expect((await api.send("GET", `${CRDS}/widgets.example.com`)).status).toBe(404);
  });

  test("deletes the objects of versions that are not served any more", async () => {
    await api.send("POST", WIDGETS, widget("a"));
    const serve = (served: boolean) =>
      api.send("PATCH", `${CRDS}/widgets.example.com`, [{ op: "replace", path: "/spec/versions/0/served", value: served }], {
        type: JSON_PATCH,
      });
    expect((await serve(false)).status).toBe(200);
    expect((await api.send("GET", WIDGETS)).status).toBe(404);
    await api.send("DELETE", `${CRDS}/widgets.example.com`);
    await api.clock.settle();
    expect((await api.send("GET", `${CRDS}/widgets.example.com`)).status).toBe(404);
    await establishCrd(api, widgetCrd());
    expect((await api.send("GET", WIDGETS)).body.items).toEqual([]);
  });

  test("deletes its objects although a webhook refuses every delete", async () => {
    await api.send("POST", WIDGETS, widget("a"));
    const refuse = {
      metadata: { name: "refuse.example.com" },
      webhooks: [
        {
          name: "refuse.example.com",
          admissionReviewVersions: ["v1"],
          sideEffects: "None",
          clientConfig: { url: "https://127.0.0.1:1/" },
          rules: [{ apiGroups: ["example.com"], apiVersions: ["*"], operations: ["DELETE"], resources: ["*"] }],
        },
      ],
    };
    const made = await api.send("POST", "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", refuse);
    expect(made.status).toBe(201);
    await api.send("DELETE", `${CRDS}/widgets.example.com`);
    await api.clock.settle();
    expect((await api.send("GET", `${CRDS}/widgets.example.com`)).status).toBe(404);
  });
});

test("CRDs in an existing store are served from the start", async () => {
  await establishCrd(api, widgetCrd());
  await api.send("POST", WIDGETS, widget("a"));
  await using second = await startTestApiServer({ store: api.cluster.server.store });
  await second.clock.settle();
  expect((await second.send("GET", `${WIDGETS}/a`)).status).toBe(200);
});

test("cluster-scoped custom resources are served outside namespaces", async () => {
  await establishCrd(api, widgetCrd({ spec: { scope: "Cluster" } }));
  expect(
    (await api.send("POST", "/apis/example.com/v1/widgets", widget("a", { metadata: { namespace: "default" } }))).body.metadata,
  ).not.toHaveProperty("namespace");
  expect((await api.send("POST", WIDGETS, widget("a"))).status).toBe(404);
});
