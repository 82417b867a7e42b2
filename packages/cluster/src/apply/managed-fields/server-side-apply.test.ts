import { OBJECT_META_SHAPE } from "pintle/internal/merge";
import type { JsonObject, ManagedFieldsEntry, Shape } from "pintle/kinds";
import { describe, expect, test } from "vitest";
import { ApiError } from "../../status/index.ts";
import { applyConfiguration, type ServerSideApply } from "./server-side-apply.ts";
import { updateManagedFields } from "./update-managed-fields.ts";

const SHAPE: Shape = {
  fields: {
    apiVersion: { scalar: "string" },
    kind: { scalar: "string" },
    metadata: OBJECT_META_SHAPE,
    spec: {
      fields: {
        replicas: { scalar: "number" },
        image: { scalar: "string" },
        ports: {
          items: { fields: { port: { scalar: "number" }, name: {}, protocol: {} } },
          list: "map",
          keys: ["port", "protocol"],
          keyDefaults: { protocol: "TCP" },
        },
      },
    },
  },
};
const T1 = "2024-01-01T00:00:01Z";
const T2 = "2024-01-01T00:00:02Z";
const base = { apiVersion: "apps/v1", kind: "Thing", shape: SHAPE, now: T1, force: false, manager: "anna" };
const config = (spec?: JsonObject, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: "apps/v1",
  kind: "Thing",
  metadata: { name: "web", namespace: "default", ...metadata },
  ...(spec === undefined ? {} : { spec }),
});
const withUid = (object: JsonObject): JsonObject => ({ ...object, metadata: { ...(object["metadata"] as JsonObject), uid: "1" } });
const entries = (of: JsonObject) => (of["metadata"] as JsonObject)["managedFields"] as unknown as readonly ManagedFieldsEntry[] | undefined;
const owners = (of: JsonObject) => Object.fromEntries((entries(of) ?? []).map(({ manager, fieldsV1 }) => [manager, fieldsV1]));
const refusal = (apply: Partial<Omit<ServerSideApply, "convert">>) => {
  try {
    applyConfiguration({ ...base, config: config(), ...apply });
  } catch (error) {
    if (error instanceof ApiError) return error.status;
    throw error;
  }
  return undefined;
};

test("stores the first applied configuration with its applier as manager", () => {
  const made = applyConfiguration({ ...base, config: config({ replicas: 1, ports: [{ port: 80 }] }, { labels: { a: "b" } }) });
  expect(made).toMatchObject({ metadata: { name: "web", labels: { a: "b" } }, spec: { replicas: 1, ports: [{ port: 80 }] } });
  expect(entries(made)).toEqual([
    {
      manager: "anna",
      operation: "Apply",
      apiVersion: "apps/v1",
      time: T1,
      fieldsType: "FieldsV1",
      fieldsV1: {
        "f:metadata": { "f:labels": { "f:a": {} } },
        "f:spec": { "f:ports": { 'k:{"port":80,"protocol":"TCP"}': { ".": {}, "f:port": {} } }, "f:replicas": {} },
      },
    },
  ]);
});

test("leaves the object and its times unchanged when the same configuration is applied again", () => {
  const made = withUid(applyConfiguration({ ...base, config: config({ replicas: 1 }) }));
  expect(applyConfiguration({ ...base, live: made, config: config({ replicas: 1 }), now: T2 })).toEqual(made);
});

test("sets defaults without a manager", () => {
  const defaults = (object: JsonObject): JsonObject => ({ ...object, spec: { image: "none", ...(object["spec"] as JsonObject) } });
  const made = applyConfiguration({ ...base, config: config({ replicas: 1 }), defaults });
  expect(made["spec"]).toEqual({ image: "none", replicas: 1 });
  expect(owners(made)).toEqual({ anna: { "f:spec": { "f:replicas": {} } } });
});

test("removes fields that the applier no longer applies, unless another manager owns them or no manager applied them", () => {
  const first = config({ replicas: 1, image: "a", ports: [{ port: 80, name: "http" }, { port: 443 }] });
  const made = withUid(applyConfiguration({ ...base, config: first }));
  const shared = applyConfiguration({ ...base, live: made, config: config({ image: "a" }), manager: "ben", now: T2 });
  const touched = updateManagedFields({
    ...base,
    live: shared,
    next: { ...shared, spec: { ...(shared["spec"] as JsonObject), ports: [{ port: 80, name: "http", protocol: "TCP" }, { port: 443 }] } },
    manager: "cat",
  });
  const after = applyConfiguration({ ...base, live: touched, config: config({ ports: [{ port: 80 }] }), now: T2 });
  expect(after["spec"]).toEqual({ image: "a", ports: [{ port: 80, protocol: "TCP" }] });
  expect(owners(after)).toEqual({
    anna: { "f:spec": { "f:ports": { 'k:{"port":80,"protocol":"TCP"}': { ".": {}, "f:port": {} } } } },
    ben: { "f:spec": { "f:image": {} } },
    cat: { "f:spec": { "f:ports": { 'k:{"port":80,"protocol":"TCP"}': { "f:protocol": {} } } } },
  });
});

test("shares ownership of a field when two managers apply the same value", () => {
  const made = withUid(applyConfiguration({ ...base, config: config({ replicas: 1 }) }));
  const shared = applyConfiguration({ ...base, live: made, config: config({ replicas: 1 }), manager: "ben", now: T2 });
  expect(owners(shared)).toEqual({ anna: { "f:spec": { "f:replicas": {} } }, ben: { "f:spec": { "f:replicas": {} } } });
  expect(entries(shared)?.find(({ manager }) => manager === "ben")).not.toHaveProperty("time");
});

describe("conflicts", () => {
  const made = withUid(applyConfiguration({ ...base, config: config({ replicas: 1, image: "a" }) }));
  const scaled = updateManagedFields({
    ...base,
    live: made,
    next: { ...made, spec: { ...(made["spec"] as JsonObject), replicas: 2 } },
    manager: "scaler",
    subresource: "scale",
  });

  test("names the field and its manager in a single conflict", () => {
    expect(refusal({ live: made, config: config({ replicas: 5 }), manager: "ben" })).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: 'Apply failed with 1 conflict: conflict with "anna": .spec.replicas',
      reason: "Conflict",
      details: { causes: [{ reason: "FieldManagerConflict", message: 'conflict with "anna"', field: ".spec.replicas" }] },
      code: 409,
    });
    expect(refusal({ live: scaled, config: config({ replicas: 5, image: "a" }) })?.message).toBe(
      'Apply failed with 1 conflict: conflict with "scaler" with subresource "scale" using apps/v1: .spec.replicas',
    );
  });

  test("lists several conflicts by manager", () => {
    expect(refusal({ live: scaled, config: config({ replicas: 5, image: "b" }), manager: "ben" })?.message).toBe(
      'Apply failed with 2 conflicts: conflicts with "anna":\n- .spec.image\nconflicts with "scaler" with subresource "scale" using apps/v1:\n- .spec.replicas',
    );
  });

  test("takes all conflicting fields with force", () => {
    const after = applyConfiguration({ ...base, live: scaled, config: config({ replicas: 5, image: "b" }), manager: "ben", force: true });
    expect(after["spec"]).toEqual({ replicas: 5, image: "b" });
    expect(owners(after)).toEqual({ ben: { "f:spec": { "f:image": {}, "f:replicas": {} } } });
  });
});

test("assigns an object without managed fields to before-first-apply", () => {
  const live = config({ replicas: 1, image: "a" }, { uid: "1" });
  const after = applyConfiguration({ ...base, live, config: config({ image: "a" }) });
  expect(entries(after)).toMatchObject([
    { manager: "anna", operation: "Apply", fieldsV1: { "f:spec": { "f:image": {} } } },
    { manager: "before-first-apply", operation: "Update", time: T1, fieldsV1: { "f:spec": { ".": {}, "f:image": {}, "f:replicas": {} } } },
  ]);
  expect(refusal({ live, config: config({ image: "b" }) })?.message).toContain(
    'conflict with "before-first-apply" using apps/v1: .spec.image',
  );
});

describe("kubectl after client-side apply", () => {
  const annotation = "kubectl.kubernetes.io/last-applied-configuration";
  const applied = config({ replicas: 1, image: "a" });
  const made = updateManagedFields({
    ...base,
    next: withUid(config({ replicas: 1, image: "a" }, { annotations: { [annotation]: `${JSON.stringify(applied)}\n` } })),
    manager: "kubectl-client-side-apply",
  });
  const annotationOf = (of: JsonObject) => ((of["metadata"] as JsonObject)["annotations"] as JsonObject)[annotation];

  test("takes over fields of client-side apply and updates the last-applied annotation", () => {
    const after = applyConfiguration({ ...base, live: made, config: config({ replicas: 3, image: "<a>" }), manager: "kubectl" });
    expect(after["spec"]).toEqual({ replicas: 3, image: "<a>" });
    expect(annotationOf(after)).toBe(
      '{"apiVersion":"apps/v1","kind":"Thing","metadata":{"name":"web","namespace":"default"},"spec":{"image":"\\u003ca\\u003e","replicas":3}}\n',
    );
  });

  test("reports a conflict for a field that changed since client-side apply", () => {
    const changed = updateManagedFields({ ...base, live: made, next: { ...made, spec: { replicas: 2, image: "a" } }, manager: "hand" });
    expect(refusal({ live: changed, config: config({ replicas: 3, image: "b" }), manager: "kubectl" })?.message).toBe(
      'Apply failed with 1 conflict: conflict with "hand" using apps/v1: .spec.replicas',
    );
  });

  test("reports a conflict when another manager applies the same fields", () => {
    expect(refusal({ live: made, config: config({ replicas: 3 }) })?.code).toBe(409);
    expect(annotationOf(applyConfiguration({ ...base, live: made, config: config({ replicas: 3 }), force: true }))).toBe(
      annotationOf(made),
    );
  });
});

test.each<[string, Partial<ServerSideApply>, JsonObject]>([
  [
    "no manager",
    { manager: "" },
    {
      code: 422,
      reason: "Invalid",
      message: 'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
    },
  ],
  [
    "another kind",
    { config: { ...config(), kind: "Other" } },
    { code: 400, reason: "BadRequest", message: "invalid object type: apps/v1, Kind=Other" },
  ],
  ["another version", { config: { ...config(), apiVersion: "v2" } }, { code: 400, message: "invalid object type: /v2, Kind=Thing" }],
  [
    "owners in the body",
    { config: config({}, { managedFields: [] }) },
    { code: 400, reason: "BadRequest", message: "metadata.managedFields must be nil" },
  ],
  [
    "an undeclared field",
    { config: config({ unheard: 1 }) },
    {
      code: 500,
      message: "failed to create typed patch object (default/web; apps/v1, Kind=Thing): .spec.unheard: field not declared in schema",
    },
  ],
  [
    "the same item twice",
    { config: config({ ports: [{ port: 80 }, { port: 80, protocol: "TCP" }] }) },
    {
      code: 500,
      message:
        'failed to create typed patch object (default/web; apps/v1, Kind=Thing): .spec.ports: duplicate entries for key [port=80,protocol="TCP"]',
    },
  ],
  [
    "owners that cannot be read",
    { live: withUid(config({}, { managedFields: [{ manager: "x" }] })) },
    { code: 500, message: "failed to decode managed fields: operation must be `Apply` or `Update`" },
  ],
])("refuses %s", (_, apply, status) => {
  expect(refusal(apply)).toMatchObject(status);
});
