import { isJsonObject, type Json, type JsonObject } from "pintle/internal/json";
import { decodeBlob, type Meta } from "../fbc/index.ts";

/** A blob as it is written: fields in the order of operator-registry, and what decides about its place in a catalog. */
export interface CatalogBlob {
  readonly schema: string;
  /** The package it belongs to; its own name for an `olm.package`. */
  readonly package: string;
  readonly name: string;
  readonly value: JsonObject;
  /** The CSV of a bundle whose manifests are no longer in `value`. */
  readonly csv?: JsonObject | undefined;
}

/**
 * Returns a blob as operator-registry writes it after reading it: known schemas with their fields in order and without unknown ones, other blobs with
 * sorted keys. Throws `PintleError` for a blob that cannot be decoded.
 */
export function toCatalogBlob(meta: Meta): CatalogBlob {
  const decoded = decodeBlob(meta);
  const value = meta.value ?? {};
  switch (decoded.kind) {
    case "package": {
      const { name, defaultChannel = "", icon, description, properties } = decoded.blob;
      const fields = {
        schema: "olm.package",
        name,
        defaultChannel,
        ...(icon === undefined ? {} : { icon: { base64data: toBase64(icon.base64data), mediatype: icon.mediatype ?? "" } }),
        ...nonEmpty("description", description),
        ...formatProperties(properties),
      };
      return { schema: "olm.package", package: name, name, value: fields };
    }
    case "channel": {
      const { name, package: packageName, entries, properties } = decoded.blob;
      const list = isList(value, "entries")
        ? entries.map(({ name: entry, replaces, skips, skipRange }) => ({
            name: entry,
            ...nonEmpty("replaces", replaces),
            ...(skips === undefined || skips.length === 0 ? {} : { skips: [...skips] }),
            ...nonEmpty("skipRange", skipRange),
          }))
        : null;
      const fields = { schema: "olm.channel", name, package: packageName, entries: list, ...formatProperties(properties) };
      return { schema: "olm.channel", package: packageName, name, value: fields };
    }
    case "bundle": {
      const { name, package: packageName, image, properties, relatedImages } = decoded.blob;
      return createBundleBlob({ name, package: packageName, image, properties: properties ?? [], relatedImages: relatedImages ?? [] });
    }
    case "deprecations": {
      const { package: packageName, entries } = decoded.blob;
      const list = isList(value, "entries")
        ? entries.map(({ reference, message }) => ({
            reference: { schema: reference?.schema ?? "", ...nonEmpty("name", reference?.name) },
            message: message ?? "",
          }))
        : null;
      const fields = { schema: "olm.deprecations", package: packageName, entries: list };
      return { schema: "olm.deprecations", package: packageName, name: "", value: fields };
    }
    case "other":
      return { schema: meta.schema, package: meta.package, name: meta.name, value: sortKeys(value) as JsonObject };
  }
}

/** What an `olm.bundle` is made of. */
export interface BundleFields {
  readonly name: string;
  readonly package: string;
  readonly image: string;
  readonly properties: readonly { readonly type?: string; readonly value?: unknown }[];
  readonly relatedImages: readonly { readonly name?: string; readonly image?: string }[];
}

/** Returns an `olm.bundle` with its fields in order. */
export function createBundleBlob({ name, package: packageName, image, properties, relatedImages }: BundleFields): CatalogBlob {
  const value = {
    schema: "olm.bundle",
    ...nonEmpty("name", name),
    ...nonEmpty("package", packageName),
    image,
    ...formatProperties(properties),
    ...(relatedImages.length === 0
      ? {}
      : { relatedImages: relatedImages.map((related) => ({ name: related.name ?? "", image: related.image ?? "" })) }),
  };
  return { schema: "olm.bundle", package: packageName, name, value };
}

/** The properties of a blob, as they are in its value. */
export function propertiesOf({ value }: CatalogBlob): readonly { readonly type: string; readonly value: Json }[] {
  return (value["properties"] ?? []) as unknown as readonly { readonly type: string; readonly value: Json }[];
}

function formatProperties(properties: BundleFields["properties"] | undefined): { readonly properties?: Json } {
  if (properties === undefined || properties.length === 0) return {};
  return { properties: properties.map(({ type = "", value }) => ({ type, value: value === undefined ? null : sortKeys(value as Json) })) };
}

/** Fields that Go leaves out when they are empty. */
function nonEmpty<K extends string>(key: K, value: string | undefined): Partial<Record<K, string>> {
  return value === undefined || value === "" ? {} : ({ [key]: value } as Partial<Record<K, string>>);
}

function toBase64(data: unknown): string | null {
  return data === undefined ? null : Buffer.isBuffer(data) ? data.toString("base64") : String(data);
}

/** Go tells a list without items from one that is missing. */
function isList(value: JsonObject, field: string): boolean {
  return Object.entries(value).some(([key, each]) => key.toLowerCase() === field && Array.isArray(each));
}

/** Values are kept with sorted keys, because operator-registry reads blobs into maps first. */
export function sortKeys(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(sortKeys);
  if (!isJsonObject(value)) return value;
  const keys = Object.keys(value).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return Object.fromEntries(keys.map((key) => [key, sortKeys(value[key]!)]));
}
