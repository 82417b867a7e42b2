import { isJsonObject, type Json, stringifyJson } from "pintle/internal/json";
import { stringify } from "yaml";
import type { CatalogBlob } from "./blob-value.ts";

export type CatalogFormat = "json" | "yaml";

/** Formats a blob as `opm render` does: JSON indented by four spaces, or a YAML document. */
export function formatBlob({ value }: CatalogBlob, format: CatalogFormat): string {
  if (format === "json") return `${formatIndented(value)}\n`;
  // Long texts of manifests have line breaks, which YAML shows as lines.
  return `---\n${stringify(sortAll(value), { aliasDuplicateObjects: false, lineWidth: 0, version: "1.1" })}`;
}

function formatIndented(value: Json): string {
  return stringifyJson(value, 4).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}

function sortAll(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(sortAll);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sortAll(value[key]!)]),
  );
}

/** The order of schemas in a package. */
const RANKS: Readonly<Record<string, number>> = { "olm.package": 0, "olm.channel": 1, "olm.bundle": 2, "olm.deprecations": 4 };
const OTHER_RANK = 3;

/** What decides about the place of a blob. */
export type BlobOrder = Pick<CatalogBlob, "schema" | "package" | "name">;

/**
 * Sorts blobs as operator-registry writes them: by package; in a package the package, channels and bundles by name, other schemas, deprecations; blobs
 * of no package at the end. Blobs of known schemas without a package are left out, as there.
 */
export function sortBlobs<T extends BlobOrder>(blobs: readonly T[]): T[] {
  const ofPackages = blobs.filter((blob) => blob.package !== "");
  const rankOf = ({ schema }: T) => RANKS[schema] ?? OTHER_RANK;
  const compare = (a: T, b: T) => {
    const byPackage = compareTexts(a.package, b.package) || rankOf(a) - rankOf(b);
    if (byPackage !== 0) return byPackage;
    const rank = rankOf(a);
    if (rank === 1 || rank === 2) return compareTexts(a.name, b.name);
    return rank === OTHER_RANK ? compareTexts(a.schema, b.schema) : 0;
  };
  return [...ofPackages.sort(compare), ...blobs.filter((blob) => blob.package === "" && RANKS[blob.schema] === undefined)];
}

function compareTexts(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));
}
