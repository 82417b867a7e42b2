import { describe, expect, it } from "vitest";
import * as z from "zod";
import { defineResource } from "../define-resource.ts";

const V2 = defineResource({
  group: "example.com",
  version: "v2",
  kind: "Cache",
  spec: z.object({ replicas: z.int32().default(1), image: z.object({ name: z.string(), tag: z.string().default("latest") }) }),
  status: z.object({ ready: z.int32() }),
  conditions: ["Available"],
});
const Cache = V2.older({
  version: "v1",
  spec: z.object({ size: z.int32().default(1), image: z.string() }),
  status: z.object({ readyCount: z.int32() }),
  deprecated: "use v2",
  columns: [{ name: "Size", path: ".spec.size" }],
  toHub: ({ spec, status }) => {
    const [name = "", tag] = spec.image.split(":");
    return { spec: { replicas: spec.size, image: { name, tag } }, status: status && { ready: status.readyCount } };
  },
  fromHub: ({ spec, status }) => ({
    spec: { size: spec.replicas, image: `${spec.image.name}:${spec.image.tag}` },
    status: status && { readyCount: status.ready },
  }),
})
  .unchangedIn({ version: "v2beta1", deprecated: true, served: false })
  .older({
    version: "v1alpha1",
    spec: z.object({ n: z.int32() }),
    toHub: ({ spec }) => ({ spec: { replicas: spec.n, image: { name: "default" } } }),
    fromHub: ({ spec }) => ({ spec: { n: spec.replicas } }),
  });

describe("a resource with several versions", () => {
  it("has one CustomResourceDefinition, versions sorted by name, one of them the storage version", () => {
    const { versions } = Cache.crd().spec;
    expect(
      versions.map(({ name, served, storage, deprecated, deprecationWarning }) => [name, served, storage, deprecated, deprecationWarning]),
    ).toEqual([
      ["v1", true, false, true, "use v2"],
      ["v1alpha1", true, false, undefined, undefined],
      ["v2", true, true, undefined, undefined],
      ["v2beta1", false, false, true, undefined],
    ]);
    expect(versions[0]!.additionalPrinterColumns).toHaveLength(1);
    expect(versions[3]!.schema).toEqual(versions[2]!.schema);
    // Conditions belong to the resource, so every version has them.
    for (const { schema } of versions) expect(schema.openAPIV3Schema.properties?.["status"]?.properties).toHaveProperty("conditions");
  });

  it("does not change the resource that it extends", () => {
    expect(V2.crd().spec.versions).toHaveLength(1);
    expect(V2.crd().spec).not.toHaveProperty("conversion");
  });

  it("has a kind for each version", () => {
    expect(Cache.version).toBe("v2");
    expect(Object.keys(Cache.at)).toEqual(["v1", "v2beta1", "v1alpha1"]);
    expect(Cache.at.v1).toMatchObject({ id: "example.com/v1/Cache", plural: "caches", subresources: ["status"] });
    expect(Cache.at.v1.desired({ metadata: { name: "a" }, spec: { image: "b" } }).object["apiVersion"]).toBe("example.com/v1");
  });

  it("uses the version marked as stored as the storage version", () => {
    const Moving = V2.unchangedIn({ version: "v1", stored: true });
    expect(Moving.crd().spec.versions.map(({ name, storage }) => [name, storage])).toEqual([
      ["v1", true],
      ["v2", false],
    ]);
    expect(() => Moving.unchangedIn({ version: "v3", stored: true })).toThrow("stored: both v1 and v3 are storage versions");
  });

  it("rejects a deprecation warning that is not one line", () => {
    for (const deprecated of ["a\nb", "x".repeat(257)]) {
      expect(() => V2.unchangedIn({ version: "v1", deprecated })).toThrow("Cache deprecated: a warning that is not one line");
    }
  });

  it("rejects an older version without conversion functions", () => {
    const lacking = { version: "v1", spec: z.object({}), toHub: () => ({ spec: { image: { name: "a" } } }) } as never;
    expect(() => V2.older(lacking)).toThrow("Cache fromHub: no conversion between v1 and v2; write the conversion function");
  });

  it("rejects a duplicate version", () => {
    expect(() => V2.unchangedIn({ version: "v2" })).toThrow("Cache version: v2 is defined twice; define each version once");
  });
});

describe("the conversion strategy", () => {
  it("is None when all versions have the same schema", () => {
    expect(V2.unchangedIn({ version: "v1" }).crd().spec.conversion).toEqual({ strategy: "None" });
  });

  it("is Webhook when a version has another schema, because unconverted objects would lose fields", () => {
    expect(Cache.crd().spec.conversion).toEqual({
      strategy: "Webhook",
      webhook: {
        clientConfig: { service: { name: "webhook-service", namespace: "system", path: "/convert" } },
        conversionReviewVersions: ["v1"],
      },
    });
    const url = "https://127.0.0.1:9443/convert";
    expect(Cache.crd({ conversion: { url, caBundle: "Q0E=" } }).spec.conversion).toMatchObject({
      webhook: { clientConfig: { url, caBundle: "Q0E=" } },
    });
  });
});

describe("convert", () => {
  const metadata = { name: "a", uid: "u" };
  const conditions = [{ type: "Available", status: "True" }];
  const old = {
    apiVersion: "example.com/v1",
    kind: "Cache",
    metadata,
    spec: { size: 3, image: "memcached:1.6" },
    status: { readyCount: 2, conditions, observedGeneration: 4 },
  };
  const hub = {
    apiVersion: "example.com/v2",
    kind: "Cache",
    metadata,
    spec: { replicas: 3, image: { name: "memcached", tag: "1.6" } },
    status: { ready: 2, conditions, observedGeneration: 4 },
  };

  it("converts to the hub and back, and keeps metadata and conditions", () => {
    expect(Cache.convert(old, "v2")).toEqual(hub);
    expect(Cache.convert(hub, "v1")).toEqual(old);
    expect(Cache.convert(hub, "v2")).toBe(hub);
  });

  it("converts from one old version to another through the hub", () => {
    expect(Cache.convert(old, "v1alpha1")).toEqual({
      ...old,
      apiVersion: "example.com/v1alpha1",
      spec: { n: 3 },
      status: { conditions, observedGeneration: 4 },
    });
  });

  it("applies the defaults of the hub before fromHub", () => {
    const oldest = { apiVersion: "example.com/v1alpha1", kind: "Cache", metadata, spec: { n: 2 } };
    expect(Cache.convert(oldest, "v1")["spec"]).toEqual({ size: 2, image: "default:latest" });
  });

  it("applies the defaults of the source version before toHub", () => {
    const { status: _, ...fresh } = { ...old, spec: { image: "memcached:1" } };
    expect(Cache.convert(fresh, "v2")["spec"]).toEqual({ replicas: 1, image: { name: "memcached", tag: "1" } });
  });

  it("changes only apiVersion between versions with the same schema", () => {
    expect(Cache.convert(hub, "v2beta1")).toEqual({ ...hub, apiVersion: "example.com/v2beta1" });
  });

  it("omits undefined fields, and a status that the object does not have", () => {
    const { status: _, ...fresh } = { ...old, spec: { size: 1, image: "memcached" } };
    expect(Cache.convert(fresh, "v2")).toEqual({
      apiVersion: "example.com/v2",
      kind: "Cache",
      metadata,
      spec: { replicas: 1, image: { name: "memcached" } },
    });
  });

  it("throws for an unknown version", () => {
    expect(() => Cache.convert(old, "v3")).toThrow("Cache a: there is no version v3; known are v2, v1, v2beta1, v1alpha1");
    expect(() => Cache.convert({ ...old, apiVersion: "example.com/v0" }, "v2")).toThrow("there is no version v0");
  });
});
