import { buildFieldSet, fieldSetPath, OBJECT_META_SHAPE } from "pintle/internal/merge";
import type { JsonObject, ManagedFieldsEntry, Shape } from "pintle/kinds";
import { expect, test } from "vitest";
import { updateManagedFields } from "./update-managed-fields.ts";

const SHAPE: Shape = {
  fields: {
    apiVersion: {},
    kind: {},
    metadata: OBJECT_META_SHAPE,
    spec: {
      fields: {
        replicas: { scalar: "number" },
        template: { fields: { name: {} } },
        items: { items: { fields: { name: {}, x: {} } }, list: "map", keys: ["name"] },
      },
    },
    status: { fields: { ready: {} } },
  },
};
const T1 = "2024-01-01T00:00:01Z";
const T2 = "2024-01-01T00:00:02Z";
const base = { apiVersion: "example.com/v1", shape: SHAPE, now: T1 };
const object = (parts: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: "example.com/v1",
  kind: "Thing",
  metadata: { name: "t", uid: "1", resourceVersion: "7", ...metadata },
  ...parts,
});
const entries = (of: JsonObject) => (of["metadata"] as JsonObject)["managedFields"] as unknown as readonly ManagedFieldsEntry[] | undefined;
const owners = (of: JsonObject) => Object.fromEntries((entries(of) ?? []).map(({ manager, fieldsV1 }) => [manager, fieldsV1]));
const created = updateManagedFields({ ...base, next: object({ spec: { replicas: 1 } }, { labels: { a: "b" } }), manager: "maker" });

test("assigns the fields of a created object to its creator, except identifying ones", () => {
  expect(entries(created)).toEqual([
    {
      manager: "maker",
      operation: "Update",
      apiVersion: "example.com/v1",
      time: T1,
      fieldsType: "FieldsV1",
      fieldsV1: { "f:metadata": { "f:labels": { ".": {}, "f:a": {} } }, "f:spec": { ".": {}, "f:replicas": {} } },
    },
  ]);
});

test("does not assign structs that are always present", () => {
  const blank = { metadata: {}, spec: { template: {} } };
  const next = updateManagedFields({ ...base, blank, next: object({ spec: { replicas: 1, template: { name: "x" } } }), manager: "maker" });
  expect(owners(next)).toEqual({ maker: { "f:spec": { "f:replicas": {}, "f:template": { "f:name": {} } } } });
});

test("moves a changed field to the manager that changed it and removes managers without fields", () => {
  const live = created;
  const next = updateManagedFields({ ...base, live, next: { ...live, spec: { replicas: 2 } }, manager: "scaler", now: T2 });
  expect(owners(next)).toEqual({
    maker: { "f:metadata": { "f:labels": { ".": {}, "f:a": {} } }, "f:spec": {} },
    scaler: { "f:spec": { "f:replicas": {} } },
  });
  expect(entries(next)?.[0]).toBe(
    entries(updateManagedFields({ ...base, live: next, next: { ...next, spec: { replicas: 3 } }, manager: "other", now: T2 }))?.[0],
  );
  const gone = updateManagedFields({ ...base, live: next, next: object(), manager: "cleaner", now: T2 });
  expect(entries(gone)).toBeUndefined();
});

test("leaves managedFields unchanged when an update changes nothing", () => {
  const same = updateManagedFields({ ...base, live: created, next: { ...created, spec: { replicas: 1 } }, manager: "other", now: T2 });
  expect(entries(same)).toEqual(entries(created));
});

test("keeps separate entries per version and subresource, and names an empty manager unknown", () => {
  const update = { ...base, live: created, manager: "maker" };
  const next = updateManagedFields({ ...update, apiVersion: "example.com/v2", next: { ...created, spec: { replicas: 2 } } });
  expect(entries(next)?.map(({ manager, apiVersion }) => [manager, apiVersion])).toEqual([
    ["maker", "example.com/v1"],
    ["maker", "example.com/v2"],
  ]);
  const status = updateManagedFields({ ...update, subresource: "status", next: { ...created, status: { ready: 1 } } });
  expect(entries(status)?.at(-1)).toMatchObject({
    manager: "maker",
    subresource: "status",
    fieldsV1: { "f:status": { ".": {}, "f:ready": {} } },
  });
  expect(owners(updateManagedFields({ ...base, manager: "", next: object({ spec: {} }) }))).toEqual({ unknown: { "f:spec": {} } });
});

test("ignores fields that the endpoint resets", () => {
  const resetFields = buildFieldSet(fieldSetPath("status"));
  const next = updateManagedFields({
    ...base,
    resetFields,
    next: object({ spec: { replicas: 1 }, status: { ready: 1 } }),
    manager: "maker",
  });
  expect(owners(next)).toEqual({ maker: { "f:spec": { ".": {}, "f:replicas": {} } } });
});

test.each([[[]], [[{}]]])("clears all managers when managedFields are set to %j", (managedFields) => {
  const reset = updateManagedFields({ ...base, live: created, next: object({ spec: { replicas: 2 } }, { managedFields }), manager: "m" });
  expect(entries(reset)).toBeUndefined();
  expect(entries(updateManagedFields({ ...base, live: reset, next: object({ spec: { replicas: 3 } }), manager: "m" }))).toBeUndefined();
});

test("accepts managedFields from a client, except through a subresource or when malformed", () => {
  const entry = {
    manager: "me",
    operation: "Update",
    apiVersion: "example.com/v1",
    fieldsType: "FieldsV1",
    fieldsV1: { "f:spec": { "f:replicas": {} } },
  };
  const write = (managedFields: JsonObject[], subresource?: string) =>
    owners(
      updateManagedFields({
        ...base,
        live: created,
        next: object({ spec: { replicas: 1 } }, { labels: { a: "b" }, managedFields }),
        manager: "m",
        subresource,
      }),
    );
  expect(write([entry])).toEqual({ me: entry.fieldsV1 });
  expect(write([entry], "status")).toEqual(owners(created));
  for (const wrong of [{ operation: "Guess" }, { apiVersion: "" }, { fieldsType: "" }, { fieldsType: "V2" }, { fieldsV1: { x: {} } }]) {
    expect(write([{ ...entry, ...wrong }])).toEqual(owners(created));
  }
});

test("merges the oldest of more than ten updaters", () => {
  let live = updateManagedFields({ ...base, next: object({ spec: {} }), manager: "maker", now: "2024-01-01T00:00:00Z" });
  for (let i = 1; i <= 11; i++) {
    const items = [...(((live["spec"] as JsonObject)["items"] as JsonObject[]) ?? []), { name: `i${i}` }];
    const now = `2024-01-01T00:00:${String(i).padStart(2, "0")}Z`;
    live = updateManagedFields({ ...base, live, next: { ...live, spec: { items } }, manager: `m${i}`, now });
  }
  expect(entries(live)?.map(({ manager, time }) => `${manager} ${time?.slice(17, 19)}`)).toEqual([
    "ancient-changes 02",
    ...[3, 4, 5, 6, 7, 8, 9, 10, 11].map((i) => `m${i} ${String(i).padStart(2, "0")}`),
  ]);
});

test("sorts entries by operation, time and name", () => {
  const entry = (manager: string, operation: string, time: string) => ({
    manager,
    operation,
    apiVersion: "example.com/v1",
    time,
    fieldsType: "FieldsV1",
    fieldsV1: { "f:spec": {} },
  });
  const managedFields = [entry("b", "Update", T2), entry("z", "Update", T1), entry("a", "Update", T2), entry("y", "Apply", T2)];
  const next = updateManagedFields({
    ...base,
    live: object({ spec: {} }, { managedFields }),
    next: object({ spec: {} }, { labels: { a: "b" } }),
    manager: "c",
    now: T2,
  });
  expect(entries(next)?.map(({ manager }) => manager)).toEqual(["y", "z", "a", "b", "c"]);
});

test("compares managers of another version in that version and drops them with it", () => {
  const atomic: Shape = { fields: { ...SHAPE.fields, spec: { ...SHAPE.fields?.["spec"], atomic: true } } };
  const versions: { readonly [apiVersion: string]: Shape } = { "example.com/v1": SHAPE, "example.com/v2": atomic };
  const convert = (of: JsonObject, apiVersion: string) => {
    const shape = versions[apiVersion];
    return shape && { object: { ...of, apiVersion }, shape };
  };
  const entry = (apiVersion: string) => ({
    manager: apiVersion,
    operation: "Update",
    apiVersion,
    fieldsType: "FieldsV1",
    fieldsV1: { "f:spec": { "f:replicas": {} }, "f:kind": {} },
  });
  const live = object(
    { spec: { replicas: 1, template: { name: "a" } } },
    { managedFields: [entry("example.com/v2"), entry("example.com/v0")] },
  );
  const next = { ...live, spec: { replicas: 1, template: { name: "b" } } };
  expect(owners(updateManagedFields({ ...base, live, next, manager: "m", convert }))).toEqual({
    "example.com/v2": { "f:kind": {} },
    m: { "f:spec": { "f:template": { "f:name": {} } } },
  });
});
