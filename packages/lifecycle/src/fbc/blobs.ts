import { PintleError } from "pintle/internal/errors";
import { formatGoValue, quoteGoString } from "pintle/internal/go-format";
import { isJsonObject, type Json, type JsonObject, stringifyJson } from "pintle/internal/json";
import { decodeGo, type GoType } from "../go-types/index.ts";
import { parseYamlDocument } from "../yaml/index.ts";
import type { CatalogBundle, CatalogChannel, CatalogDeprecations, CatalogPackage, OtherMeta } from "./types.ts";

/** One blob of a catalog, before its schema is known: the fields that every blob may have, and the blob itself. */
export interface Meta {
  readonly schema: string;
  readonly package: string;
  readonly name: string;
  /** Undefined for an empty YAML document. */
  readonly value: JsonObject | null | undefined;
}

/** A decoded blob. */
export type DecodedBlob =
  | { readonly kind: "package"; readonly blob: CatalogPackage }
  | { readonly kind: "channel"; readonly blob: CatalogChannel }
  | { readonly kind: "bundle"; readonly blob: CatalogBundle /** How many manifests it contains. */; readonly objects: number }
  | { readonly kind: "deprecations"; readonly blob: CatalogDeprecations }
  | { readonly kind: "other"; readonly blob: OtherMeta };

/** Reads schema, package and name of a blob, without case. Throws `PintleError` for keys that differ only in case. */
export function readMeta(value: unknown): Meta {
  if (value === null || value === undefined) return { schema: "", package: "", name: "", value: null };
  if (!isJsonObject(value as Json)) throw invalidBlob(describeNonObject(value));
  const object = value as JsonObject;
  const byFolded = new Map<string, string[]>();
  for (const key of Object.keys(object)) {
    const same = byFolded.get(key.toLowerCase());
    if (same === undefined) byFolded.set(key.toLowerCase(), [key]);
    else same.push(key);
  }
  const duplicates = [...byFolded].filter(([, keys]) => keys.length > 1);
  if (duplicates.length > 0) {
    const texts = duplicates.map(([folded, keys]) => `duplicate keys for key ${quoteGoString(folded)}: [${keys.sort().join(" ")}]`);
    throw invalidBlob(texts.length === 1 ? texts[0]! : `[${texts.join(", ")}]`);
  }
  const read = (name: string): string => {
    const key = byFolded.get(name)?.[0];
    if (key === undefined) return "";
    const field = object[key];
    if (typeof field === "string") return field;
    const shown = formatGoValue(field);
    throw invalidBlob(`expected value for key ${quoteGoString(key)} to be a string, got ${formatAsBool(field)}: ${shown}`);
  };
  return { schema: read("schema"), package: read("package"), name: read("name"), value: object };
}

/** The text of operator-registry, which shows the value and marks where Go's decoder stopped. */
function describeNonObject(value: unknown): string {
  const isArray = Array.isArray(value);
  const kind = isArray ? "array" : typeof value === "boolean" ? "bool" : typeof value === "string" ? "string" : "number";
  const text = stringifyJson(value, 4);
  const offset = isArray ? 1 : Buffer.byteLength(text);
  const marked = isArray ? `[ <== ${text.slice(1)}` : `${text} <==`;
  const what = `json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`;
  return `${what} at offset ${offset} (indicated by <==)\n${marked}`;
}

const PROPERTIES: GoType = { list: { struct: "property.Property", fields: { type: "string", value: "any" } } };

const PACKAGE: GoType = {
  struct: "declcfg.Package",
  fields: {
    schema: "string",
    name: "string",
    defaultChannel: "string",
    icon: { struct: "declcfg.Icon", fields: { base64data: "bytes", mediatype: "string" } },
    description: "string",
    properties: PROPERTIES,
  },
};

const CHANNEL: GoType = {
  struct: "declcfg.Channel",
  fields: {
    schema: "string",
    name: "string",
    package: "string",
    entries: {
      list: {
        struct: "declcfg.ChannelEntry",
        fields: { name: "string", replaces: "string", skips: { list: "string" }, skipRange: "string" },
      },
    },
    properties: PROPERTIES,
  },
};

const BUNDLE: GoType = {
  struct: "declcfg.Bundle",
  fields: {
    schema: "string",
    name: "string",
    package: "string",
    image: "string",
    properties: PROPERTIES,
    relatedImages: { list: { struct: "declcfg.RelatedImage", fields: { name: "string", image: "string" } } },
  },
};

const DEPRECATIONS: GoType = {
  struct: "declcfg.Deprecation",
  fields: {
    schema: "string",
    package: "string",
    entries: {
      list: {
        struct: "declcfg.DeprecationEntry",
        fields: {
          reference: { struct: "declcfg.PackageScopedReference", fields: { schema: "string", name: "string" } },
          message: "string",
        },
      },
    },
  },
};

/** Decodes a blob by its schema. Throws `PintleError` with the text of operator-registry. */
export function decodeBlob(meta: Meta): DecodedBlob {
  switch (meta.schema) {
    case "olm.package": {
      const blob = decode<CatalogPackage>("parse package", meta, PACKAGE);
      return { kind: "package", blob: { ...blob, name: blob.name ?? "" } };
    }
    case "olm.channel": {
      const blob = decode<CatalogChannel>("parse channel", meta, CHANNEL);
      const entries = (blob.entries ?? []).map((entry) => ({ ...entry, name: entry.name ?? "" }));
      return { kind: "channel", blob: { ...blob, name: blob.name ?? "", package: blob.package ?? "", entries } };
    }
    case "olm.bundle": {
      const blob = decode<CatalogBundle>("parse bundle", meta, BUNDLE);
      const bundle = { ...blob, name: blob.name ?? "", package: blob.package ?? "", image: blob.image ?? "" };
      return { kind: "bundle", blob: bundle, objects: countBundleObjects(bundle) };
    }
    case "olm.deprecations": {
      const blob = decode<CatalogDeprecations>("parse deprecation", meta, DEPRECATIONS);
      return { kind: "deprecations", blob: { ...blob, package: blob.package ?? "", entries: blob.entries ?? [] } };
    }
    case "":
      throw invalidBlob(
        `object '${meta.value === undefined ? "" : `${stringifyJson(sortKeys(meta.value))}\n`}' is missing root schema field`,
      );
    default:
      return { kind: "other", blob: { schema: meta.schema, package: meta.package, name: meta.name, value: meta.value ?? {} } };
  }
}

function decode<T>(step: string, meta: Meta, type: GoType): T {
  try {
    return decodeGo(meta.value, type) as T;
  } catch (error) {
    throw invalidBlob(`${step}: ${messageOf(error)}`);
  }
}

/** Checks the manifests that a bundle contains as properties. */
function countBundleObjects({ package: packageName, name, properties = [] }: CatalogBundle): number {
  const where = `read bundle objects: package ${quoteGoString(packageName)}, bundle ${quoteGoString(name)}`;
  let objects = 0;
  properties.forEach(({ type, value }, i) => {
    if (type !== "olm.bundle.object") return;
    let data: Buffer | undefined;
    try {
      data = (decodeGo(value, BUNDLE_OBJECT) as { readonly data?: Buffer } | undefined)?.data;
    } catch (error) {
      throw invalidBlob(`${where}: parse property at index ${i} as bundle object: ${messageOf(error)}`);
    }
    try {
      const text = data?.toString("utf8") ?? "";
      if (!text.trimStart().startsWith("{")) parseYamlDocument(text);
    } catch (error) {
      throw invalidBlob(`${where}: convert bundle object property at index ${i} to JSON: ${messageOf(error)}`);
    }
    objects++;
  });
  return objects;
}

const BUNDLE_OBJECT: GoType = { struct: "property.BundleObject", fields: { data: "bytes" } };

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, field]) => [key, sortKeys(field)]));
}

/** Formats a value with Go's verb %t, which is for booleans only: other values show their type. */
function formatAsBool(value: unknown): string {
  if (typeof value === "boolean") return String(value);
  if (value === null || value === undefined) return "%!t(<nil>)";
  if (Array.isArray(value)) return `[${value.map(formatAsBool).join(" ")}]`;
  if (typeof value !== "object") return `%!t(${typeof value === "string" ? "string" : "float64"}=${String(value)})`;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `map[${entries.map(([key, field]) => `%!t(string=${key}):${formatAsBool(field)}`).join(" ")}]`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function invalidBlob(message: string): PintleError {
  return new PintleError("PINTLE8010", message);
}
