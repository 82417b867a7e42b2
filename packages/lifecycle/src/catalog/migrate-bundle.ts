import { isJsonObject, type Json, type JsonObject } from "pintle/internal/json";
import { foldFieldNames, fromUnstructured, toGoJson } from "../go-types/index.ts";
import { parseYamlDocument } from "../yaml/index.ts";
import { type CatalogBlob, propertiesOf } from "./blob-value.ts";

/** Up to which form bundles are migrated. */
export const MIGRATION_LEVELS = ["none", "bundle-object-to-csv-metadata", "all"] as const;
export type MigrationLevel = (typeof MIGRATION_LEVELS)[number];

const CSV = "operators/v1alpha1.ClusterServiceVersion";
const SPEC_FIELDS = [
  ["apiServiceDefinitions", "apiservicedefinitions"],
  ["crdDescriptions", "customresourcedefinitions"],
  ["description", "description"],
  ["displayName", "displayName"],
  ["installModes", "installModes"],
  ["keywords", "keywords"],
  ["labels", undefined],
  ["links", "links"],
  ["maintainers", "maintainers"],
  ["maturity", "maturity"],
  ["minKubeVersion", "minKubeVersion"],
  ["nativeAPIs", "nativeAPIs"],
  ["provider", "provider"],
] as const;
/** Structs, which Go does not leave out. */
const ALWAYS = new Set(["apiServiceDefinitions", "crdDescriptions", "provider"]);

/** Replaces the manifests of a bundle by the metadata of its CSV, which is all that catalogs need. Bundles without image or CSV stay as they are. */
export function migrateBundle(blob: CatalogBlob, level: MigrationLevel): CatalogBlob {
  if (level === "none" || blob.schema !== "olm.bundle" || (blob.value["image"] ?? "") === "") return blob;
  const properties = propertiesOf(blob);
  if (properties.some(({ type }) => type === "olm.csv.metadata")) return blob;
  const csv = findCsv(properties);
  if (csv === undefined) return blob;
  const kept = properties.filter(({ type }) => type !== "olm.bundle.object");
  return { ...blob, csv, value: { ...blob.value, properties: [...kept, { type: "olm.csv.metadata", value: createCsvMetadata(csv) }] } };
}

/** The CSV of a bundle: kept when it was migrated, or among its manifests. */
export function csvOf(blob: CatalogBlob): JsonObject | undefined {
  return blob.csv ?? findCsv(propertiesOf(blob));
}

/** The first CSV among the manifests of a bundle, with the field names of the Go struct whatever their case was: published bundles have both. */
function findCsv(properties: readonly { readonly type: string; readonly value: Json }[]): JsonObject | undefined {
  for (const { type, value } of properties) {
    const data = type === "olm.bundle.object" && isJsonObject(value) ? value["data"] : undefined;
    if (typeof data !== "string") continue;
    const text = Buffer.from(data, "base64").toString("utf8");
    const object = (text.trimStart().startsWith("{") ? JSON.parse(text) : parseYamlDocument(text)) as Json;
    if (isJsonObject(object) && object["kind"] === "ClusterServiceVersion") return foldFieldNames(object, CSV, "json") as JsonObject;
  }
  return undefined;
}

function createCsvMetadata(csv: JsonObject): JsonObject {
  const written = toGoJson(fromUnstructured(csv, CSV), CSV);
  const metadata = (written["metadata"] ?? {}) as JsonObject;
  const spec = (written["spec"] ?? {}) as JsonObject;
  const fields: [string, Json | undefined][] = [
    ["annotations", metadata["annotations"]],
    ...SPEC_FIELDS.map(([name, field]): [string, Json | undefined] => [name, field === undefined ? metadata[name] : spec[field]]),
  ];
  return Object.fromEntries(
    fields.flatMap(([name, value]) => {
      if (ALWAYS.has(name)) return [[name, value ?? {}]];
      return isEmpty(value) ? [] : [[name, value!]];
    }),
  ) as JsonObject;
}

function isEmpty(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === "") return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}
