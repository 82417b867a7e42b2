import { PintleError } from "pintle/internal/errors";
import { isJsonObject, type Json, type JsonObject, parseJson } from "pintle/internal/json";
import { readMeta } from "../../fbc/index.ts";
import { parseYamlDocuments } from "../../yaml/index.ts";
import { type CatalogBlob, toCatalogBlob } from "../blob-value.ts";

/** Returns the blobs that a reference to a bundle stands for. */
export type RenderReference = (reference: string) => Promise<readonly CatalogBlob[]>;

/** A parsed template: its fields, by the names in their documentation. */
export interface Template {
  readonly schema: string;
  readonly value: JsonObject;
}

/** Parses the first document of a template. */
export function readTemplate(text: string): Template {
  let value: Json | undefined;
  try {
    value = (text.trimStart().startsWith("{") ? parseJson(Buffer.from(text)) : parseYamlDocuments(text)[0]) as Json | undefined;
  } catch (error) {
    throw new PintleError("PINTLE8040", `decoding template input: ${(error as Error).message}`);
  }
  if (value === undefined) throw new PintleError("PINTLE8040", "decoding template input: EOF");
  if (!isJsonObject(value)) throw new PintleError("PINTLE8040", "unmarshalling template: it is not an object");
  const schema = field(value, "schema");
  if (schema !== undefined && schema !== null && typeof schema !== "string") {
    throw new PintleError("PINTLE8040", "unmarshalling template schema: the schema is not a text");
  }
  return { schema: schema ?? "", value };
}

/** A field of a template; keys are matched without case, as everywhere in catalogs. */
export function field(value: JsonObject, name: string): Json | undefined {
  if (Object.hasOwn(value, name)) return value[name];
  const key = Object.keys(value).find((each) => each.toLowerCase() === name.toLowerCase());
  return key === undefined ? undefined : value[key];
}

/** The blobs under `entries`. */
export function readEntries({ value }: Template): readonly CatalogBlob[] {
  const entries = field(value, "entries");
  if (entries === undefined || entries === null) return [];
  if (!Array.isArray(entries)) throw new PintleError("PINTLE8040", "unmarshalling template: entries is not a list");
  return (entries as readonly Json[]).map((entry) => toCatalogBlob(readMeta(entry)));
}
