import { describe, expect, test } from "vitest";
import { migrateBundle, toCatalogBlob } from "../../src/catalog/index.ts";
import { readMeta } from "../../src/fbc/index.ts";

/** A bundle whose manifests are in its properties, as catalogs had them before `olm.csv.metadata`. */
function bundleWith(spec: object) {
  const csv = { apiVersion: "operators.coreos.com/v1alpha1", kind: "ClusterServiceVersion", metadata: { name: "shop.v1.0.0" }, spec };
  const data = Buffer.from(JSON.stringify(csv)).toString("base64");
  const meta = readMeta({
    schema: "olm.bundle",
    name: "shop.v1.0.0",
    package: "shop",
    image: "example.com/shop:v1.0.0",
    properties: [{ type: "olm.bundle.object", value: { data } }],
  });
  return toCatalogBlob(meta);
}

function metadataOf(spec: object): unknown {
  const properties = migrateBundle(bundleWith(spec), "all").value["properties"] as { type: string; value: unknown }[];
  return properties.find(({ type }) => type === "olm.csv.metadata")?.value;
}

describe("the metadata of a CSV in a catalog", () => {
  test("keeps fields whatever the case of their keys, as opm does", () => {
    expect(metadataOf({ MinKubeVersion: "1.12.0", DISPLAYNAME: "Shop", version: "1.0.0" })).toMatchObject({
      minKubeVersion: "1.12.0",
      displayName: "Shop",
    });
  });

  test("takes the alphabetically last of two keys of one field", () => {
    expect(metadataOf({ minKubeVersion: "1.30.0", MinKubeVersion: "1.12.0", version: "1.0.0" })).toMatchObject({
      minKubeVersion: "1.30.0",
    });
    expect(metadataOf({ MinKubeVersion: "1.12.0", minKubeVersion: "1.30.0", version: "1.0.0" })).toMatchObject({
      minKubeVersion: "1.30.0",
    });
  });

  test("does not turn numbers of JSON into strings", () => {
    expect(() => metadataOf({ minKubeVersion: 1.3, version: "1.0.0" })).toThrow(/string/);
  });
});
