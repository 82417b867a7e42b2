import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { JsonObject } from "pintle/internal/json";
import { describe, expect, test } from "vitest";
import { checkStoredObjects, type RefusedObject, type StoredObjectPage } from "../../src/index.ts";

const NAMES = { plural: "shops", kind: "Shop", singular: "shop", listKind: "ShopList" };
const version = (name: string, spec: JsonObject, more: JsonObject = {}): JsonObject => ({
  name,
  served: true,
  storage: name === "v1",
  schema: { openAPIV3Schema: { type: "object", properties: { spec: { type: "object", ...spec } } } },
  ...more,
});
const definition = (versions: readonly JsonObject[], more: JsonObject = {}, storedVersions: readonly string[] = ["v1"]): JsonObject => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "shops.example.com" },
  spec: { group: "example.com", scope: "Namespaced", names: NAMES, versions, conversion: { strategy: "None" }, ...more },
  status: { storedVersions, conditions: [{ type: "Established", status: "True" }] },
});
const shop = (name: string, spec: JsonObject): JsonObject => ({
  apiVersion: "example.com/v1",
  kind: "Shop",
  metadata: { namespace: "default", name, managedFields: [{ manager: "kubectl", operation: "Update" }] },
  spec,
});
const WEBHOOK = {
  conversion: {
    strategy: "Webhook",
    webhook: { conversionReviewVersions: ["v1"], clientConfig: { service: { namespace: "a", name: "b", path: "/" } } },
  },
};
const ANY: JsonObject = { properties: { size: { type: "integer" }, color: { type: "string" } } };

async function run(live: JsonObject, next: JsonObject, pages: readonly (readonly JsonObject[])[]) {
  const found: RefusedObject[] = [];
  const reads: string[] = [];
  const report = await checkStoredObjects({
    live,
    next,
    readPage: async (read, token): Promise<StoredObjectPage> => {
      reads.push(`${read} ${token}`);
      const index = Number(token ?? 0);
      return { items: pages[index] ?? [], continue: index + 1 < pages.length ? String(index + 1) : undefined };
    },
    onRefused: (object) => void found.push(object),
  });
  const lines = found.flatMap(({ namespace, name, problems }) =>
    problems.map((p) => `${namespace}/${name} ${p.versions.join()} ${p.effect}${p.blocksEveryUpdate ? "!" : ""} ${p.field}: ${p.message}`),
  );
  return { report, lines, reads };
}

describe("checkStoredObjects", () => {
  test.each<[string, JsonObject, JsonObject, string[]]>([
    ["a valid object", ANY, { size: 1 }, []],
    [
      "a lower maximum",
      { properties: { size: { type: "integer", maximum: 3 } } },
      { size: 5 },
      ["spec.size: Invalid value: 5: spec.size in body should be less than or equal to 3"],
    ],
    [
      "another type",
      { properties: { size: { type: "string" } } },
      { size: 5 },
      ['spec.size: Invalid value: "integer": spec.size in body must be of type string: "integer"'],
    ],
    ["a required field", { ...ANY, required: ["color"] }, { size: 5 }, ["spec.color: Required value"]],
    [
      "a required field with a default",
      { properties: { size: { type: "integer" }, color: { type: "string", default: "" } }, required: ["color"] },
      { size: 5 },
      [],
    ],
    [
      "a CEL rule",
      { ...ANY, "x-kubernetes-validations": [{ rule: "self.size < 3", message: "too large" }] },
      { size: 5 },
      ["spec: Invalid value: too large"],
    ],
    ["a transition rule", { ...ANY, "x-kubernetes-validations": [{ rule: "self.size > oldSelf.size" }] }, { size: 5 }, []],
  ])("judges %s", async (_, spec, object, expected) => {
    const live = definition([version("v1", ANY)]);
    const { report, lines } = await run(live, definition([version("v1", spec)]), [[shop("a", object)]]);
    expect(lines).toEqual(expected.map((text) => `default/a v1 refused ${text}`));
    expect(report).toEqual({
      definition: "shops.example.com",
      definitionErrors: [],
      checked: 1,
      refused: expected.length === 0 ? 0 : 1,
      unchecked: [],
    });
  });

  test("reports fields that the new schema drops", async () => {
    const next = definition([version("v1", { properties: { size: { type: "integer" } } })]);
    expect((await run(definition([version("v1", ANY)]), next, [[shop("a", { size: 1, color: "red" })]])).lines).toEqual([
      "default/a v1 dropped spec.color: unknown field",
    ]);
  });

  test("tells problems that block every update from those that ratcheting tolerates", async () => {
    const next = definition([version("v1", { properties: { size: { type: "integer", maximum: 3 } } })]);
    const root = (next["spec"] as { versions: { schema: { openAPIV3Schema: Record<string, unknown> } }[] }).versions[0]!.schema
      .openAPIV3Schema;
    root["x-kubernetes-validations"] = [{ rule: "has(self.spec) && self.spec.size > 0", message: "must be positive" }];
    const { lines } = await run(definition([version("v1", ANY)]), next, [[shop("a", { size: 5 }), shop("b", { size: -1 })]]);
    expect(lines).toEqual([
      "default/a v1 refused spec.size: Invalid value: 5: spec.size in body should be less than or equal to 3",
      "default/b v1 refused! : Invalid value: must be positive",
    ]);
  });

  test("reads every page, keeps the order and counts", async () => {
    const next = definition([version("v1", { properties: { size: { type: "integer", maximum: 3 } } })]);
    const pages = [0, 1, 2].map((page) => [1, 5].map((size) => shop(`p${page}s${size}`, { size })));
    const { report, lines, reads } = await run(definition([version("v1", ANY)]), next, pages);
    expect(reads).toEqual(["v1 undefined", "v1 1", "v1 2"]);
    expect(lines.map((line) => line.split(" ")[0])).toEqual(["default/p0s5", "default/p1s5", "default/p2s5"]);
    expect(report).toMatchObject({ checked: 6, refused: 3 });
  });

  test("checks all served versions in one pass without a conversion webhook, and names each problem once", async () => {
    const small = { properties: { size: { type: "integer", maximum: 3 } } };
    const next = definition([
      version("v1", small),
      version("v2", small),
      version("v3", { properties: { size: { type: "integer", minimum: 9 } } }),
    ]);
    const { lines, reads } = await run(definition([version("v1", ANY)]), next, [[shop("a", { size: 5 })]]);
    expect(reads).toEqual(["v1 undefined"]);
    expect(lines).toEqual([
      "default/a v1,v2 refused spec.size: Invalid value: 5: spec.size in body should be less than or equal to 3",
      "default/a v3 refused spec.size: Invalid value: 5: spec.size in body should be greater than or equal to 9",
    ]);
  });

  test("reads each version through the conversion webhook, and reports versions that only the new one converts to", async () => {
    const versions = [version("v1", ANY), version("v2", ANY)];
    const next = definition([...versions, version("v3", ANY)], WEBHOOK);
    const { report, reads } = await run(definition(versions, WEBHOOK), next, [[shop("a", { size: 5 })]]);
    expect(reads).toEqual(["v1 undefined", "v2 undefined"]);
    expect(report.unchecked).toEqual([{ version: "v3", reason: "its objects come from the conversion webhook of the new release" }]);
    // The first webhook of a definition changes what every version shows but the stored one.
    const first = await run(definition(versions), definition(versions, WEBHOOK), [[shop("a", { size: 5 })]]);
    expect(first.reads).toEqual(["v1 undefined"]);
    expect(first.report.unchecked.map((each) => each.version)).toEqual(["v2"]);
  });

  test("refuses objects whose stored version is gone", async () => {
    const live = definition([version("v1alpha1", ANY), version("v1", ANY)], {}, ["v1alpha1", "v1"]);
    const { report, lines } = await run(live, definition([version("v1", ANY)]), [[shop("a", { size: 5 })]]);
    expect(lines).toEqual([
      "default/a v1alpha1 refused! apiVersion: may be stored as example.com/v1alpha1, which the new definition does not have",
    ]);
    expect(report.definitionErrors).toEqual([
      {
        field: "status.storedVersions[0]",
        message: expect.stringContaining("missing from spec.versions; v1alpha1 was previously a storage version"),
      },
    ]);
  });

  test("reads nothing if the API server refuses the new schema", async () => {
    const next = definition([version("v1", { properties: { size: { type: "nonsense" } } })]);
    const { report, reads } = await run(definition([version("v1", ANY)]), next, [[shop("a", { size: 5 })]]);
    expect(reads).toEqual([]);
    expect(report.definitionErrors[0]?.field).toMatch(/^spec\./);
    const cluster = await run(definition([version("v1", ANY)]), definition([version("v1", ANY)], { scope: "Cluster" }), []);
    expect(cluster.report.definitionErrors).toEqual([{ field: "spec.scope", message: 'Invalid value: "Cluster": field is immutable' }]);
  });

  test("keeps no page", async () => {
    setFlagsFromString("--expose-gc");
    const collectGarbage = runInNewContext("gc") as () => void;
    const next = definition([version("v1", { properties: { size: { type: "integer", maximum: 3 } } })]);
    const heap: number[] = [];
    const report = await checkStoredObjects({
      live: definition([version("v1", ANY)]),
      next,
      readPage: async (_, token) => {
        const page = Number(token ?? 0);
        // One megabyte a page.
        const items = Array.from({ length: 500 }, (__, i) => shop(`s${i}`, { size: 5, padding: `${page}-${i}`.padEnd(2_000, "x") }));
        return { items, continue: page < 60 ? String(page + 1) : undefined };
      },
      onRefused: () => {},
      onPage: (checked) => {
        if (checked % 10_000 !== 0) return;
        collectGarbage();
        heap.push(process.memoryUsage().heapUsed);
      },
    });
    expect(report).toMatchObject({ checked: 30_500, refused: 30_500 });
    expect(heap).toHaveLength(3);
    expect(heap[2]! - heap[0]!).toBeLessThan(4 << 20);
  });
});
