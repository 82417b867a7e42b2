import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { Backup } from "./fixtures/generated/backups.storage.example.com/v1.ts";
import { customFiles } from "./generated-files.ts";

const fixtures = path.join(import.meta.dirname, "fixtures");
const generated = path.join(fixtures, "generated");
const definition = parse(readFileSync(path.join(fixtures, "backup.crd.yaml"), "utf8")) as Record<string, unknown>;

test("renders the committed files of a CRD, one per served version", () => {
  const committed = readdirSync(generated, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  const rendered = customFiles(definition);
  expect([...rendered.keys()].sort()).toEqual(committed.map((name) => name.split(path.sep).join("/")).sort());
  for (const [name, text] of rendered) expect(text).toBe(readFileSync(path.join(generated, name), "utf8"));
});

test("renders the same files for any order of fields in the CRD", () => {
  const reversed = JSON.parse(JSON.stringify(definition), (key, value: unknown) =>
    key === "properties" ? Object.fromEntries(Object.entries(value as object).reverse()) : value,
  ) as unknown;
  expect(customFiles(reversed)).toEqual(customFiles(definition));
});

describe("the generated kind", () => {
  test("has id, plural, scope and subresources", () => {
    expect(Backup).toMatchObject({
      id: "storage.example.com/v1/Backup",
      plural: "backups",
      scope: "Namespaced",
      subresources: ["scale", "status"],
    });
  });

  test("accepts desired objects like a built-in kind", () => {
    // Compiles: a field with a default may be omitted, and null is allowed where the schema is nullable.
    const child = Backup.desired({
      metadata: { name: "nightly" },
      spec: {
        schedule: "@daily",
        source: { kind: "Volume", name: "a" },
        paused: null,
        port: "web",
        template: { kind: "Job", any: 1 },
        extra: { more: true },
      },
    });
    expect(child.object["apiVersion"]).toBe("storage.example.com/v1");
  });

  test("has the shape of its schema", () => {
    const spec = Backup.shape!.fields!["spec"]!.fields!;
    expect(spec["targets"]).toMatchObject({ list: "map", keys: ["name", "region"], keyDefaults: { region: "eu-west" } });
    expect(spec["tags"]).toMatchObject({ list: "set" });
    expect(spec["source"]).toMatchObject({ atomic: true });
    expect(spec["extra"]).toMatchObject({ fields: { mode: { scalar: "string" } }, values: { untyped: true } });
    expect(spec["template"]!.fields!["metadata"]!.fields!["ownerReferences"]).toMatchObject({ keys: ["uid"] });
    expect(spec["port"]).toEqual({ scalar: "intOrString" });
    expect(spec["filters"]!.values!.fields!["path"]).toEqual({ scalar: "string" });
    expect(spec["odd name"]).toEqual({ scalar: "string" });
  });
});

test("rejects an object that is not a CRD", () => {
  expect(() => customFiles({ apiVersion: "v1", kind: "ConfigMap" })).toThrow(
    "Not a CustomResourceDefinition of apiextensions.k8s.io/v1: v1 ConfigMap",
  );
});
