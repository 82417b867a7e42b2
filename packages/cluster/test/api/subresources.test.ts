import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { MERGE, startWidgetApiServer, type TestApiServer, WIDGETS, widget } from "./harness.ts";

let api: TestApiServer;
beforeEach(async () => {
  api = await startWidgetApiServer();
  await api.send("POST", WIDGETS, widget("a", { spec: { size: 1, replicas: 2 } }));
});
afterEach(() => api.cluster.stop());

const get = async (path = "a") => (await api.send("GET", `${WIDGETS}/${path}`)).body;

describe("status", () => {
  test("a PUT changes only status", async () => {
    const before = await get();
    const { status, body } = await api.send("PUT", `${WIDGETS}/a/status`, {
      ...before,
      metadata: { ...before.metadata, labels: { a: "b" } },
      spec: { size: 99 },
      status: { phase: "Up" },
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ spec: before.spec, status: { phase: "Up" }, metadata: { generation: 1 } });
    expect(body.metadata).not.toHaveProperty("labels");
    expect(body.metadata.managedFields).toMatchObject([{ operation: "Update" }, { subresource: "status", fieldsV1: { "f:status": {} } }]);
  });

  test("checks the resourceVersion", async () => {
    const stale = widget("a", { metadata: { resourceVersion: "1" }, status: { phase: "Up" } });
    expect((await api.send("PUT", `${WIDGETS}/a/status`, stale)).status).toBe(409);
  });

  test("is not changed by writes to the object itself", async () => {
    await api.send("PATCH", `${WIDGETS}/a/status`, { status: { phase: "Up" } }, { type: MERGE });
    const { body } = await api.send("PUT", `${WIDGETS}/a`, { ...(await get()), status: { phase: "Down" } });
    expect(body.status).toEqual({ phase: "Up" });
  });

  test("refuses other verbs, and kinds without status", async () => {
    expect((await api.send("POST", `${WIDGETS}/a/status`, widget("a"))).body.message).toBe(
      'create is not supported on resources of kind "widgets.example.com"',
    );
    expect((await api.send("GET", "/api/v1/namespaces/default/configmaps/a/status")).status).toBe(404);
    expect((await api.send("GET", `${WIDGETS}/a/nope`)).body.message).toBe('widgets.example.com "a" not found');
  });
});

describe("scale", () => {
  test("reads three fields of the object", async () => {
    await api.send("PATCH", `${WIDGETS}/a/status`, { status: { replicas: 1, selector: "app=a" } }, { type: MERGE });
    expect(await get("a/scale")).toMatchObject({
      kind: "Scale",
      apiVersion: "autoscaling/v1",
      metadata: { name: "a", namespace: "default" },
      spec: { replicas: 2 },
      status: { replicas: 1, selector: "app=a" },
    });
  });

  test("writes only replicas and increases the generation", async () => {
    const { body } = await api.send("PATCH", `${WIDGETS}/a/scale`, { spec: { replicas: 5 } }, { type: MERGE });
    expect(body.spec).toEqual({ replicas: 5 });
    expect(await get()).toMatchObject({ spec: { size: 1, replicas: 5 }, metadata: { generation: 2 } });
    const scale = await get("a/scale");
    expect((await api.send("PUT", `${WIDGETS}/a/scale`, { ...scale, spec: {} })).body.spec).toEqual({});
    expect((await get()).spec.replicas).toBe(0);
  });

  test("checks the resourceVersion and validates the object", async () => {
    const scale = await get("a/scale");
    const stale = { ...scale, metadata: { ...scale.metadata, resourceVersion: "1" } };
    expect((await api.send("PUT", `${WIDGETS}/a/scale`, stale)).status).toBe(409);
    expect((await api.send("PUT", `${WIDGETS}/a/scale`, { ...scale, spec: { replicas: -1 } })).body.message).toBe(
      'Widget.example.com "a" is invalid: .spec.replicas: Invalid value: -1: should be a non-negative integer',
    );
  });

  test("of an object without replicas is 500", async () => {
    await api.send("POST", WIDGETS, widget("b"));
    expect(await api.send("GET", `${WIDGETS}/b/scale`)).toMatchObject({
      status: 500,
      body: { message: 'Internal error occurred: the spec replicas field ".spec.replicas" does not exist' },
    });
    expect((await api.send("PATCH", `${WIDGETS}/b/scale`, { spec: { replicas: 1 } }, { type: MERGE })).status).toBe(200);
  });

  test("of a built-in kind makes the client the manager of replicas", async () => {
    const DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments";
    const template = { metadata: { labels: { app: "a" } }, spec: { containers: [{ name: "c", image: "i" }] } };
    await api.send("POST", DEPLOYMENTS, { metadata: { name: "d" }, spec: { selector: { matchLabels: { app: "a" } }, template } });
    const scaled = await api.send("PATCH", `${DEPLOYMENTS}/d/scale`, { spec: { replicas: 3 } }, { type: MERGE, agent: "scaler/1" });
    expect(scaled.body).toMatchObject({ spec: { replicas: 3 }, status: { selector: "app=a" } });
    const { body } = await api.send("GET", `${DEPLOYMENTS}/d`);
    expect(body.metadata.managedFields).toContainEqual(
      expect.objectContaining({ manager: "scaler", subresource: "scale", fieldsV1: { "f:spec": { "f:replicas": {} } } }),
    );
  });
});
