import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  APPLY,
  CONFIG_MAPS,
  MERGE,
  START,
  startTestApiServer,
  startWidgetApiServer,
  type TestApiServer,
  WIDGETS,
  widget,
} from "./harness.ts";

let api: TestApiServer;
beforeAll(async () => {
  api = await startWidgetApiServer();
});
afterAll(() => api.cluster.stop());

describe("create", () => {
  test("sets server fields and clears what the client may not set", async () => {
    const { status, body } = await api.send(
      "POST",
      WIDGETS,
      widget("created", {
        metadata: {
          uid: "mine",
          creationTimestamp: "2020-01-01T00:00:00Z",
          deletionTimestamp: "2020-01-01T00:00:00Z",
          generation: 7,
          selfLink: "x",
        },
        spec: { size: 1 },
        status: { phase: "mine" },
      }),
    );
    expect(status).toBe(201);
    expect(body.metadata).toMatchObject({ name: "created", namespace: "default", generation: 1, creationTimestamp: START });
    expect(body.metadata.uid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(body.metadata).not.toHaveProperty("deletionTimestamp");
    expect(body.metadata).not.toHaveProperty("selfLink");
    expect(body.spec).toEqual({ size: 1, color: "red" });
    expect(body).not.toHaveProperty("status");
    expect(body.metadata.managedFields).toMatchObject([{ manager: "test", operation: "Update", apiVersion: "example.com/v1" }]);
  });

  test.each([
    ["a name that is taken", widget("created"), 409, "AlreadyExists", 'widgets.example.com "created" already exists'],
    [
      "a resourceVersion",
      widget("v", { metadata: { resourceVersion: "5" } }),
      500,
      undefined,
      "resourceVersion should not be set on objects to be created",
    ],
    [
      "a resourceVersion and an invalid field",
      widget("v", { metadata: { resourceVersion: "5", name: "_" } }),
      422,
      "Invalid",
      expect.stringContaining('Widget.example.com "_" is invalid: metadata.name'),
    ],
    [
      "no name",
      widget(""),
      422,
      "Invalid",
      'Widget.example.com "" is invalid: metadata.name: Required value: name or generateName is required',
    ],
    [
      "another namespace",
      widget("n", { metadata: { namespace: "other" } }),
      400,
      "BadRequest",
      "the namespace of the provided object does not match the namespace sent on the request",
    ],
    [
      "another version",
      { ...widget("n"), apiVersion: "example.com/v2" },
      400,
      "BadRequest",
      "the API version in the data (example.com/v2) does not match the expected API version (example.com/v1)",
    ],
    [
      "another kind",
      { ...widget("n"), kind: "Gadget" },
      422,
      "Invalid",
      'Gadget.example.com "n" is invalid: kind: Invalid value: "Gadget": must be Widget',
    ],
    [
      "an invalid value",
      widget("n", { spec: { size: -1 } }),
      422,
      "Invalid",
      'Widget.example.com "n" is invalid: spec.size: Invalid value: -1: spec.size in body should be greater than or equal to 0',
    ],
    [
      "labels that are no text",
      widget("n", { metadata: { labels: { a: 1 } } }),
      400,
      "BadRequest",
      'Widget in version "v1" cannot be handled as a Widget: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string',
    ],
  ])("is refused with %s", async (_, body, status, reason, message) => {
    const response = await api.send("POST", WIDGETS, body);
    expect(response).toMatchObject({ status, body: { kind: "Status", status: "Failure", message, code: status } });
    expect(response.body.reason).toBe(reason);
  });

  test("is refused in a missing namespace", async () => {
    const response = await api.send("POST", "/api/v1/namespaces/nowhere/configmaps", { metadata: { name: "a" } });
    expect(response).toMatchObject({
      status: 404,
      body: { message: 'namespaces "nowhere" not found', details: { name: "nowhere", kind: "namespaces" } },
    });
  });

  test("is refused in a terminating namespace", async () => {
    await api.send("POST", "/api/v1/namespaces", { metadata: { name: "going" } });
    await api.send("DELETE", "/api/v1/namespaces/going");
    const { status, body } = await api.send("POST", "/api/v1/namespaces/going/configmaps", { metadata: { name: "a" } });
    expect([status, body.reason]).toEqual([403, "Forbidden"]);
    expect(body.message).toBe(
      'configmaps "a" is forbidden: unable to create new content in namespace going because it is being terminated',
    );
    expect(body.details.causes).toEqual([
      { reason: "NamespaceTerminating", message: "namespace going is being terminated", field: "metadata.namespace" },
    ]);
  });

  test("generates a name from generateName", async () => {
    const { body } = await api.send("POST", CONFIG_MAPS, { metadata: { generateName: `${"x".repeat(70)}-` } });
    expect(body.metadata.name).toMatch(/^x{58}[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  });

  test("fails with 409 after eight generated names that exist", async () => {
    await using monotonous = await startTestApiServer({ random: () => 0.5 });
    await monotonous.send("POST", CONFIG_MAPS, { metadata: { generateName: "n-" } });
    const refused = await monotonous.send("POST", CONFIG_MAPS, { metadata: { generateName: "n-" } });
    expect(refused).toMatchObject({ status: 409, body: { reason: "AlreadyExists", details: { retryAfterSeconds: 1 } } });
    expect(refused.body.message).toContain("already exists, the server was not able to generate a unique name for the object");
    expect(refused.headers["retry-after"]).toBe("1");
    const named = await monotonous.send("POST", CONFIG_MAPS, { metadata: { name: refused.body.details.name, generateName: "n-" } });
    expect(named.body).toEqual(refused.body);
  });

  test("removes a duplicate owner reference and warns", async () => {
    const owner = { apiVersion: "v1", kind: "Pod", name: "x", uid: "u" };
    const { body, warnings } = await api.send("POST", CONFIG_MAPS, { metadata: { name: "owned", ownerReferences: [owner, owner] } });
    expect(body.metadata.ownerReferences).toEqual([owner]);
    expect(warnings[0]).toContain("contains duplicate entries; API server dedups owner references");
  });

  test("with dryRun=All stores nothing", async () => {
    const before = (await api.send("GET", CONFIG_MAPS)).body.metadata.resourceVersion;
    const { status, body } = await api.send("POST", `${CONFIG_MAPS}?dryRun=All`, { metadata: { name: "dry" }, data: { a: "b" } });
    expect([status, body.data, body.metadata.resourceVersion]).toEqual([201, { a: "b" }, undefined]);
    expect(body.metadata.uid).toBeDefined();
    expect((await api.send("GET", `${CONFIG_MAPS}/dry`)).status).toBe(404);
    expect((await api.send("GET", CONFIG_MAPS)).body.metadata.resourceVersion).toBe(before);
  });
});

describe("field validation", () => {
  const body = widget("strict", { spec: { size: 1, foo: 1 } });
  test("Warn is the default", async () => {
    expect(await api.send("POST", `${WIDGETS}?dryRun=All`, body)).toMatchObject({ status: 201, warnings: ['unknown field "spec.foo"'] });
  });
  test("Strict refuses unknown fields with 400", async () => {
    const message = 'Widget in version "v1" cannot be handled as a Widget: strict decoding error: unknown field "spec.foo"';
    expect(await api.send("POST", `${WIDGETS}?fieldValidation=Strict`, body)).toMatchObject({ status: 400, body: { message } });
  });
  test("Ignore sends no warning", async () => {
    expect(await api.send("POST", `${WIDGETS}?dryRun=All&fieldValidation=Ignore`, body)).toMatchObject({ status: 201, warnings: [] });
  });
});

describe("update", () => {
  test.each([
    [
      "a stale resourceVersion",
      widget("created", { metadata: { resourceVersion: "1" } }),
      409,
      'Operation cannot be fulfilled on widgets.example.com "created": the object has been modified; please apply your changes to the latest version and try again',
    ],
    [
      "no resourceVersion",
      widget("created"),
      422,
      'widgets.example.com "created" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
    ],
    ["another name", widget("other"), 400, "the name of the object (other) does not match the name on the URL (created)"],
  ])("of a custom resource is refused with %s", async (_, body, status, message) => {
    expect(await api.send("PUT", `${WIDGETS}/created`, body)).toMatchObject({ status, body: { message } });
  });

  test("without resourceVersion overwrites objects of most built-in kinds", async () => {
    await api.send("POST", CONFIG_MAPS, { metadata: { name: "over" }, data: { a: "1" } });
    expect(await api.send("PUT", `${CONFIG_MAPS}/over`, { metadata: { name: "over" }, data: { b: "2" } })).toMatchObject({
      status: 200,
      body: { data: { b: "2" } },
    });
  });

  test("with another uid is refused with 409", async () => {
    const { status, body } = await api.send("PUT", `${CONFIG_MAPS}/over`, { metadata: { name: "over", uid: "other" } });
    expect([status, body.reason]).toEqual([409, "Conflict"]);
    expect(body.message).toContain("Precondition failed: UID in precondition: other, UID in object meta: ");
  });

  test("of a missing object is 404, except for kinds that allow create on update", async () => {
    const missing = await api.send("PUT", `${CONFIG_MAPS}/nope`, { metadata: { name: "nope" } });
    expect(missing).toMatchObject({ status: 404, body: { message: 'configmaps "nope" not found' } });
    const lease = { metadata: { name: "made" }, spec: { holderIdentity: "me" } };
    expect((await api.send("PUT", "/apis/coordination.k8s.io/v1/namespaces/default/leases/made", lease)).status).toBe(201);
  });

  test("that changes nothing is not stored, even if times of managers would change", async () => {
    const before = (await api.send("GET", `${WIDGETS}/created`)).body;
    await api.clock.advance(5000);
    const put = await api.send("PUT", `${WIDGETS}/created`, before);
    const patch = await api.send("PATCH", `${WIDGETS}/created`, { spec: { size: 1 } }, { type: MERGE });
    expect(put.body).toEqual(before);
    expect(patch.body).toEqual(before);
  });

  test("that applies empty metadata does not store it, but changes the time of the manager on a custom resource", async () => {
    const apply = async (path: string, object: object) =>
      (await api.send("PATCH", `${path}?fieldManager=ben`, object, { type: APPLY })).body;
    const timeOf = ({ metadata }: any) => Date.parse(metadata.managedFields[0].time);
    const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "mine" }, data: { a: "b" } };
    for (const [path, object, moved] of [
      [`${WIDGETS}/mine`, widget("mine", { spec: { size: 1 } }), 5000],
      [`${CONFIG_MAPS}/mine`, map, 0],
    ] as const) {
      const before = await apply(path, object);
      await api.clock.advance(5000);
      const after = await apply(path, { ...object, metadata: { name: "mine", ownerReferences: [] } });
      expect([timeOf(after) - timeOf(before), after.metadata.ownerReferences]).toEqual([moved, undefined]);
    }
  });

  test("increases the generation for changes outside metadata and status", async () => {
    const patch = (body: unknown, at = "") => api.send("PATCH", `${WIDGETS}/created${at}`, body, { type: MERGE });
    expect((await patch({ metadata: { labels: { a: "b" } } })).body.metadata.generation).toBe(1);
    expect((await patch({ spec: { size: 2 } })).body.metadata.generation).toBe(2);
    expect((await patch({ status: { phase: "ignored" } })).body.metadata.generation).toBe(2);
    expect((await patch({ status: { phase: "Up" } }, "/status")).body).toMatchObject({
      metadata: { generation: 2 },
      status: { phase: "Up" },
    });
    expect((await patch({ metadata: { generation: 99 } })).body.metadata.generation).toBe(2);
  });

  test("cannot change immutable metadata", async () => {
    const { status, body } = await api.send("PATCH", `${WIDGETS}/created`, { metadata: { uid: "other" } }, { type: MERGE });
    expect([status, body.message]).toEqual([
      422,
      'Widget.example.com "created" is invalid: metadata.uid: Invalid value: "other": field is immutable',
    ]);
    const dated = await api.send(
      "PATCH",
      `${WIDGETS}/created`,
      { metadata: { creationTimestamp: "2020-01-01T00:00:00Z" } },
      { type: MERGE },
    );
    expect(dated.body.metadata.creationTimestamp).toBe(START);
  });
});

test.each([
  ["/apis/example.com/v1/namespaces/default/widgets/nope", 404, 'widgets.example.com "nope" not found'],
  ["/api/v1/namespaces/default/configmaps/nope", 404, 'configmaps "nope" not found'],
  ["/api/v1/namespaces/default/gadgets", 404, "the server could not find the requested resource"],
])("GET %s: %i %s", async (path, status, message) => {
  expect(await api.send("GET", path)).toMatchObject({ status, body: { message } });
});

test("stored objects do not share memory with request bodies, and response objects are frozen", async () => {
  const mine = { metadata: { name: "shared" }, data: { a: "1" } };
  const { body } = await api.send("POST", CONFIG_MAPS, mine);
  mine.data.a = "2";
  expect((await api.send("GET", `${CONFIG_MAPS}/shared`)).body.data.a).toBe("1");
  expect(Object.isFrozen(body) && Object.isFrozen(body.data)).toBe(true);
});

test("an owner reference without a uid is refused", async () => {
  const owner = { apiVersion: "v1", kind: "Pod", name: "x", uid: "" };
  const { status, body } = await api.send("POST", CONFIG_MAPS, { metadata: { name: "bad-owner", ownerReferences: [owner] } });
  expect([status, body.details.causes[0].field]).toEqual([422, "metadata.ownerReferences.uid"]);
});
