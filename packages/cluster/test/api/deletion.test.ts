import { setImmediate } from "node:timers/promises";
import { systemClock } from "pintle/internal/clock";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CONFIG_MAPS, MERGE, START, startTestApiServer, startWidgetApiServer, type TestApiServer, WIDGETS, widget } from "./harness.ts";

let api: TestApiServer;
beforeEach(async () => {
  api = await startWidgetApiServer();
});
afterEach(() => api.cluster.stop());

const widgetWithFinalizer = (name: string) => widget(name, { metadata: { finalizers: ["example.com/hold"] }, spec: { size: 1 } });
const patch = (name: string, body: unknown) => api.send("PATCH", `${WIDGETS}/${name}`, body, { type: MERGE });

test("a delete without finalizers and grace period removes the object at once", async () => {
  const { body: made } = await api.send("POST", WIDGETS, widget("a"));
  const { status, body } = await api.send("DELETE", `${WIDGETS}/a`);
  expect(status).toBe(200);
  expect(body).toEqual({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    details: { name: "a", group: "example.com", kind: "widgets", uid: made.metadata.uid },
  });
  expect(await api.send("DELETE", `${WIDGETS}/a`)).toMatchObject({ status: 404, body: { message: 'widgets.example.com "a" not found' } });
});

describe("finalizers", () => {
  test("keep the object, marked with a deletionTimestamp, until the last one is removed", async () => {
    await api.send("POST", WIDGETS, widgetWithFinalizer("a"));
    const { status, body } = await api.send("DELETE", `${WIDGETS}/a`);
    expect(status).toBe(200);
    expect(body.metadata).toMatchObject({ deletionTimestamp: START, deletionGracePeriodSeconds: 0, generation: 2 });

    const again = await api.send("DELETE", `${WIDGETS}/a`);
    expect(again.body.metadata.resourceVersion).toBe(body.metadata.resourceVersion);
    expect((await api.send("POST", WIDGETS, widget("a"))).body.message).toBe(
      'object is being deleted: widgets.example.com "a" already exists',
    );
    expect((await patch("a", { metadata: { deletionTimestamp: null } })).body.metadata.deletionTimestamp).toBe(START);
    expect((await patch("a", { spec: { size: 2 } })).body.spec.size).toBe(2);

    const more = await patch("a", { metadata: { finalizers: ["example.com/hold", "example.com/more"] } });
    expect(more.status).toBe(422);
    expect(more.body.message).toBe(
      'Widget.example.com "a" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.com/more"}',
    );

    const released = await patch("a", { metadata: { finalizers: null } });
    expect([released.status, released.body.kind]).toEqual([200, "Widget"]);
    expect((await api.send("GET", `${WIDGETS}/a`)).status).toBe(404);
  });

  test.each([
    ["Orphan", ["orphan"]],
    ["Foreground", ["foregroundDeletion"]],
  ])("propagationPolicy %s adds %j", async (propagationPolicy, finalizers) => {
    await api.send("POST", WIDGETS, widget("a"));
    expect((await api.send("DELETE", `${WIDGETS}/a`, { propagationPolicy })).body.metadata.finalizers).toEqual(finalizers);
    expect(await api.send("DELETE", `${WIDGETS}/a`, { propagationPolicy: "Background" })).toMatchObject({ body: { status: "Success" } });
  });

  test("orphanDependents=false responds with 202 while the object remains", async () => {
    await api.send("POST", WIDGETS, widgetWithFinalizer("a"));
    expect((await api.send("DELETE", `${WIDGETS}/a`, { orphanDependents: false })).status).toBe(202);
  });

  test("without a domain get a warning", async () => {
    const { warnings } = await api.send("POST", WIDGETS, widget("a", { metadata: { finalizers: ["mine"] } }));
    expect(warnings).toEqual([
      'metadata.finalizers: "mine": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers',
    ]);
  });
});

describe("options", () => {
  test.each([
    [
      { preconditions: { uid: "other" } },
      409,
      /^Operation cannot be fulfilled on Widget.example.com "a": the UID in the precondition \(other\) does not match the UID in record \(.*\)\. The object might have been deleted and then recreated$/,
    ],
    [
      { preconditions: { resourceVersion: "1" } },
      409,
      /the ResourceVersion in the precondition \(1\) does not match the ResourceVersion in record/,
    ],
    [
      { propagationPolicy: "Orphan", orphanDependents: true },
      422,
      /propagationPolicy: Invalid value: "Orphan": orphanDependents and deletionPropagation cannot be both set$/,
    ],
    [
      { propagationPolicy: "Slowly" },
      422,
      /propagationPolicy: Unsupported value: "Slowly": supported values: "Foreground", "Background", "Orphan", "nil"$/,
    ],
    [{ dryRun: ["Some"] }, 422, /dryRun: Unsupported value: \["Some"\]: supported values: "All"$/],
  ])("%j: %i", async (options, status, message) => {
    await api.send("POST", WIDGETS, widget("a"));
    const response = await api.send("DELETE", `${WIDGETS}/a`, options);
    expect(response.status).toBe(status);
    expect(response.body.message).toMatch(message);
  });

  test("dryRun=All deletes nothing", async () => {
    await api.send("POST", WIDGETS, widgetWithFinalizer("a"));
    const { body } = await api.send("DELETE", `${WIDGETS}/a?dryRun=All`);
    expect(body.metadata.deletionTimestamp).toBe(START);
    expect((await api.send("GET", `${WIDGETS}/a`)).body.metadata).not.toHaveProperty("deletionTimestamp");
  });
});

describe("the grace period", () => {
  const PODS = "/api/v1/namespaces/default/pods";
  const pod = (nodeName?: string) => ({ metadata: { name: "p" }, spec: { nodeName, containers: [{ name: "c", image: "i" }] } });
  const from = (seconds: number) => new Date(Date.parse(START) + seconds * 1000).toISOString().replace(".000", "");

  test("of a scheduled pod is 30 s and can only be shortened", async () => {
    await api.send("POST", PODS, pod("n1"));
    const { body } = await api.send("DELETE", `${PODS}/p`);
    expect(body.metadata).toMatchObject({ deletionTimestamp: from(30), deletionGracePeriodSeconds: 30 });
    const longer = await api.send("DELETE", `${PODS}/p`, { gracePeriodSeconds: 60 });
    expect(longer.body.metadata.resourceVersion).toBe(body.metadata.resourceVersion);
    const shorter = await api.send("DELETE", `${PODS}/p`, { gracePeriodSeconds: 10 });
    expect(shorter.body.metadata).toMatchObject({ deletionTimestamp: from(10), deletionGracePeriodSeconds: 10 });
    await api.send("DELETE", `${PODS}/p`, { gracePeriodSeconds: 0 });
    expect((await api.send("GET", `${PODS}/p`)).status).toBe(404);
  });

  test("of an unscheduled pod is zero", async () => {
    await api.send("POST", PODS, pod());
    await api.send("DELETE", `${PODS}/p`);
    expect((await api.send("GET", `${PODS}/p`)).status).toBe(404);
  });
});

describe("a collection", () => {
  test("loses the selected objects and the response lists them", async () => {
    for (const [name, team] of [
      ["a", "x"],
      ["b", "y"],
      ["c", "x"],
    ]) {
      await api.send("POST", CONFIG_MAPS, { metadata: { name, labels: { team } } });
    }
    const { status, body } = await api.send("DELETE", `${CONFIG_MAPS}?labelSelector=team=x`);
    expect([status, body.kind, body.items.map((item: any) => item.metadata.name)]).toEqual([200, "ConfigMapList", ["a", "c"]]);
    expect((await api.send("GET", `${CONFIG_MAPS}?labelSelector=team`)).body.items.map((item: any) => item.metadata.name)).toEqual(["b"]);
  });

  test("that is large does not block other requests while it is deleted", async () => {
    // With a virtual clock work is not divided.
    await using server = await startTestApiServer({ clock: systemClock });
    const names = Array.from({ length: 2_000 }, (_, index) => `c-${index}`);
    await Promise.all(names.map((name) => server.send("POST", CONFIG_MAPS, { metadata: { name, labels: { team: "x" } } })));
    let over = false;
    const deleted = server.send("DELETE", `${CONFIG_MAPS}?labelSelector=team=x`).finally(() => {
      over = true;
    });
    let meanwhile = 0;
    while (!over) {
      await setImmediate();
      meanwhile++;
    }
    expect((await deleted).body.items).toHaveLength(2_000);
    expect(meanwhile).toBeGreaterThan(4);
  });

  test("across namespaces is not supported for built-in kinds", async () => {
    expect((await api.send("DELETE", "/api/v1/configmaps")).status).toBe(405);
  });
});

describe("namespaces", () => {
  test.each(["default", "kube-system", "kube-public"])("%s cannot be deleted", async (name) => {
    const { status, body } = await api.send("DELETE", `/api/v1/namespaces/${name}`);
    expect([status, body.message]).toEqual([403, `namespaces "${name}" is forbidden: this namespace may not be deleted`]);
  });

  test("are marked as terminating until spec.finalizers is empty", async () => {
    await api.send("POST", "/api/v1/namespaces", { metadata: { name: "a" } });
    const { body } = await api.send("DELETE", "/api/v1/namespaces/a");
    expect(body).toMatchObject({
      metadata: { deletionTimestamp: START },
      spec: { finalizers: ["kubernetes"] },
      status: { phase: "Terminating" },
    });
    const { status } = await api.send("PUT", "/api/v1/namespaces/a/finalize", { ...body, spec: { finalizers: [] } });
    expect(status).toBe(200);
    expect((await api.send("GET", "/api/v1/namespaces/a")).status).toBe(404);
  });
});
