import { PintleError } from "pintle/internal/errors";
import { isJsonObject, type Json, type JsonObject } from "pintle/internal/json";
import type { Descriptor, Platform } from "./blob.ts";

/** Manifests are small: what is larger is not one. */
export const MAX_MANIFEST_BYTES = 4 << 20;
/** Configurations of images have an entry per layer. */
export const MAX_CONFIG_BYTES = 8 << 20;
const MAX_DESCRIPTORS = 10_000;

/** The manifest of an image for one platform. */
export interface ImageManifest {
  readonly config: Descriptor;
  readonly layers: readonly Descriptor[];
}

/** Parses the manifest of an image. Manifests are written by others: every field is checked. */
export function parseImageManifest(text: string, where: string): ImageManifest {
  const manifest = parseObject(text, where);
  if (manifest["schemaVersion"] === 1) {
    throw new PintleError("PINTLE8030", `${where}: the image has the format of Docker before 1.10: push it again with a current tool`);
  }
  return { config: parseDescriptor(manifest["config"], where), layers: parseDescriptors(manifest["layers"], "layers", where) };
}

/** Parses an image index. */
export function parseImageIndex(text: string, where: string): readonly Descriptor[] {
  return parseDescriptors(parseObject(text, where)["manifests"], "manifests", where);
}

/** The media type that a manifest states itself; else what its fields mean. */
export function readMediaType(text: string, where: string): string {
  const manifest = parseObject(text, where);
  if (typeof manifest["mediaType"] === "string") return manifest["mediaType"];
  return Array.isArray(manifest["manifests"]) ? "application/vnd.oci.image.index.v1+json" : "application/vnd.oci.image.manifest.v1+json";
}

/** Parses a JSON object; throws `PintleError` that names where it is from. */
export function parseObject(text: string, where: string): JsonObject {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch (error) {
    throw new PintleError("PINTLE8030", `${where}: not JSON: ${(error as Error).message.slice(0, 200)}`);
  }
  if (!isJsonObject(value)) throw new PintleError("PINTLE8030", `${where}: not a JSON object`);
  return value;
}

function parseDescriptors(value: Json | undefined, field: string, where: string): readonly Descriptor[] {
  if (!Array.isArray(value)) throw new PintleError("PINTLE8030", `${where}: "${field}" is not a list`);
  if (value.length > MAX_DESCRIPTORS) throw new PintleError("PINTLE8030", `${where}: "${field}" has more than ${MAX_DESCRIPTORS} items`);
  return value.map((item) => parseDescriptor(item as Json, where));
}

function parseDescriptor(value: Json | undefined, where: string): Descriptor {
  const refuse = (why: string) => new PintleError("PINTLE8030", `${where}: ${why}`);
  if (value === undefined || !isJsonObject(value)) throw refuse("a descriptor is missing or not an object");
  const { mediaType = "", digest, size, platform, annotations, artifactType } = value;
  if (typeof digest !== "string" || !isDigest(digest)) {
    throw refuse(`invalid tag or digest ${JSON.stringify(digest ?? null).slice(0, 200)}: only sha256 is supported`);
  }
  if (typeof size !== "number" || !Number.isSafeInteger(size) || size < 0) throw refuse(`the size of ${digest} is not a number of bytes`);
  return {
    mediaType: typeof mediaType === "string" ? mediaType : "",
    digest,
    size,
    ...(isPlatform(platform) ? { platform } : {}),
    ...(isStringMap(annotations) ? { annotations } : {}),
    ...(typeof artifactType === "string" ? { artifactType } : {}),
  };
}

/** Whether a text is a digest. Digests become parts of paths and URLs. */
export const isDigest = (text: string) => /^sha256:[0-9a-f]{64}$/.test(text);

function isPlatform(value: unknown): value is Platform {
  const { os, architecture } = (value ?? {}) as { readonly os?: unknown; readonly architecture?: unknown };
  return typeof os === "string" && typeof architecture === "string";
}

function isStringMap(value: unknown): value is Readonly<Record<string, string>> {
  return typeof value === "object" && value !== null && Object.values(value).every((item) => typeof item === "string");
}
