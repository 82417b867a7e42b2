import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { APPLY, CONFIG_MAPS, JSON_PATCH, MERGE, STRATEGIC, startWidgetApiServer, type TestApiServer, WIDGETS, widget } from "./harness.ts";

let api: TestApiServer;
beforeAll(async () => {
  api = await startWidgetApiServer();
  await api.send("POST", WIDGETS, widget("a", { spec: { size: 1 } }));
  await api.send("POST", CONFIG_MAPS, { metadata: { name: "a" }, data: { k: "v" } });
});
afterAll(() => api.cluster.stop());

const patch = (type: string, body: unknown, path = `${WIDGETS}/a`) => api.send("PATCH", path, body, { type });

describe("JSON and merge patches", () => {
  test("change the stored object", async () => {
    expect((await patch(MERGE, { spec: { color: "blue", size: null } })).body.spec).toEqual({ color: "blue" });
    expect((await patch(JSON_PATCH, [{ op: "add", path: "/spec/size", value: 5 }])).body.spec).toEqual({ color: "blue", size: 5 });
    expect((await patch(STRATEGIC, { data: { z: "1" } }, `${CONFIG_MAPS}/a`)).body.data).toEqual({ k: "v", z: "1" });
  });

  test.each([
    [
      "a failed test",
      JSON_PATCH,
      [{ op: "test", path: "/spec/size", value: 6 }],
      422,
      "the server rejected our request due to an error in our request",
    ],
    [
      "no list of operations",
      JSON_PATCH,
      { a: 1 },
      400,
      "error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp",
    ],
    ["a list", MERGE, [], 400, "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}"],
    [
      "a stale resourceVersion",
      MERGE,
      { metadata: { resourceVersion: "1" } },
      409,
      'Operation cannot be fulfilled on widgets.example.com "a": the object has been modified; please apply your changes to the latest version and try again',
    ],
    ["another name", MERGE, { metadata: { name: "b" } }, 400, "the name of the object (b) does not match the name on the URL (a)"],
    ["another kind", MERGE, { kind: "Gadget" }, 422, 'Gadget.example.com "a" is invalid: kind: Invalid value: "Gadget": must be Widget'],
    [
      "strategic merge of a custom resource",
      STRATEGIC,
      {},
      415,
      "the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml",
    ],
  ])("%s is refused", async (_, type, body, status, message) => {
    expect(await patch(type, body)).toMatchObject({ status, body: { message } });
  });

  test("Strict reports unknown fields of the result as errors of the patch", async () => {
    const { status, body } = await patch(MERGE, { spec: { foo: 1 } }, `${WIDGETS}/a?fieldValidation=Strict`);
    expect([status, body.details.causes[0].field]).toEqual([422, "patch"]);
    expect(body.message).toContain('strict decoding error: unknown field "spec.foo"');
    expect((await patch(MERGE, { spec: { foo: 1 } })).warnings).toEqual(['unknown field "spec.foo"']);
  });

  test("force is refused for patches other than apply", async () => {
    const message = 'PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch';
    expect(await patch(MERGE, {}, `${WIDGETS}/a?force=true`)).toMatchObject({ status: 422, body: { message } });
  });

  test("without resourceVersion do not conflict with concurrent writers", async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => patch(MERGE, { metadata: { annotations: { [`n${n}`]: "x" } } })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(Object.keys((await api.send("GET", `${WIDGETS}/a`)).body.metadata.annotations)).toHaveLength(20);
  });
});

describe("apply", () => {
  const path = (name: string, query = "") => `${WIDGETS}/${name}?fieldManager=me${query}`;

  test("creates the object, and a second apply changes nothing", async () => {
    const made = await patch(APPLY, widget("new", { spec: { size: 1 } }), path("new"));
    expect([made.status, made.body.spec]).toEqual([201, { size: 1, color: "red" }]);
    expect(made.body.metadata.managedFields).toMatchObject([
      { manager: "me", operation: "Apply", fieldsV1: { "f:spec": { "f:size": {} } } },
    ]);
    await api.clock.advance(2000);
    const again = await patch(APPLY, widget("new", { spec: { size: 1 } }), path("new"));
    expect([again.status, again.body]).toEqual([200, made.body]);
  });

  test("accepts JSON and YAML", async () => {
    const yaml = "apiVersion: example.com/v1\nkind: Widget\nmetadata:\n  name: from-yaml\nspec: {size: 3}\n";
    const response = await api.cluster.server.handle({
      method: "PATCH",
      path: `${WIDGETS}/from-yaml`,
      query: new Map([["fieldManager", ["me"]]]),
      headers: { "content-type": APPLY },
      user: { name: "admin", groups: ["system:masters"] },
      body: { bytes: Buffer.from(yaml) },
      signal: () => new AbortController().signal,
    });
    expect(response).toMatchObject({ status: 201, body: { value: { spec: { size: 3 } } } });
  });

  test("conflicts with other managers unless forced", async () => {
    await patch(APPLY, widget("shared", { spec: { size: 1 } }), path("shared"));
    const other = `${WIDGETS}/shared?fieldManager=other`;
    const { status, body } = await patch(APPLY, widget("shared", { spec: { size: 2 } }), other);
    expect([status, body.reason, body.message]).toEqual([409, "Conflict", 'Apply failed with 1 conflict: conflict with "me": .spec.size']);
    expect(body.details.causes).toEqual([{ reason: "FieldManagerConflict", message: 'conflict with "me"', field: ".spec.size" }]);
    expect((await patch(APPLY, widget("shared", { spec: { size: 2 } }), `${other}&force=true`)).body.spec.size).toBe(2);
  });

  test("through /status owns only status fields", async () => {
    await patch(APPLY, widget("st", { spec: { size: 1 } }), path("st"));
    const { body } = await patch(
      APPLY,
      widget("st", { spec: { size: 9 }, status: { phase: "Up" } }),
      `${WIDGETS}/st/status?fieldManager=ctl`,
    );
    expect([body.spec.size, body.status.phase]).toEqual([1, "Up"]);
    expect(body.metadata.managedFields.find((entry: any) => entry.manager === "ctl")).toMatchObject({
      subresource: "status",
      fieldsV1: { "f:status": { "f:phase": {} } },
    });
  });

  test.each([
    [
      "without a manager",
      `${WIDGETS}/x`,
      widget("x"),
      422,
      'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
    ],
    [
      "with managedFields",
      `${WIDGETS}/x?fieldManager=m`,
      widget("x", { metadata: { managedFields: [] } }),
      400,
      "metadata.managedFields must be nil",
    ],
    [
      "with a uid of nothing there",
      `${WIDGETS}/x?fieldManager=m`,
      widget("x", { metadata: { uid: "u" } }),
      409,
      'Operation cannot be fulfilled on widgets.example.com "x": uid mismatch: the provided object specified uid u, and no existing object was found',
    ],
    [
      "with an unknown field",
      `${WIDGETS}/x?fieldManager=m`,
      widget("x", { spec: { nope: 1 } }),
      500,
      "failed to create typed patch object (/x; example.com/v1, Kind=Widget): .spec.nope: field not declared in schema",
    ],
  ])("%s is refused", async (_, at, body, status, message) => {
    expect(await patch(APPLY, body, at)).toMatchObject({ status, body: { message } });
  });
});

test("dryRun=All returns the result of a patch without storing it", async () => {
  const { status, body } = await patch(MERGE, { spec: { size: 42 } }, `${WIDGETS}/a?dryRun=All`);
  expect([status, body.spec.size]).toEqual([200, 42]);
  expect((await api.send("GET", `${WIDGETS}/a`)).body.spec.size).not.toBe(42);
});
