import type { Random } from "pintle/internal/clock";
import { quoteGoString } from "pintle/internal/go-format";
import { isJsonObject } from "pintle/internal/json";
import type { Json, JsonObject } from "pintle/kinds";
import type { CustomResourceDefinition } from "../../schema/crd/index.ts";
import { ApiError } from "../../status/index.ts";
import { generateUid } from "../metadata/generate-name.ts";
import { getMetadata } from "../metadata/object-meta.ts";
import { type Conversion, formatApiVersion } from "../registry/served-resource.ts";
import type { ConversionWebhookClient } from "./webhook-client.ts";

const TIMEOUT_SECONDS = 30;
const GROUP = "apiextensions.k8s.io";

/** The dependencies of conversions. */
export interface ConversionContext {
  readonly client: ConversionWebhookClient;
  /** For uids of reviews, which are not stored. */
  readonly jitter: Random;
}

interface WebhookConversion {
  readonly clientConfig?: JsonObject;
  readonly conversionReviewVersions?: readonly string[];
}

/** Creates a converter that calls the conversion webhook of a CRD. */
export function createWebhookConverter(crd: JsonObject, { client, jitter }: ConversionContext): Converter {
  const { spec } = crd as unknown as CustomResourceDefinition;
  const { group = "", versions = [], conversion } = spec;
  const { clientConfig = {}, conversionReviewVersions = [] } = ((conversion as JsonObject | undefined)?.["webhook"] ??
    {}) as WebhookConversion;
  const known = new Set(versions.map(({ name }) => formatApiVersion({ group, version: name })));
  const reviewed = conversionReviewVersions.find((version) => version === "v1" || version === "v1beta1");

  const callWebhook = async (objects: readonly JsonObject[], apiVersion: string): Promise<readonly JsonObject[]> => {
    const of = `conversion webhook for ${formatKind(objects[0] as JsonObject)}`;
    if (reviewed === undefined) throw conversionError("no supported conversion review versions");
    const uid = generateUid(jitter);
    const body = buildConversionReview(reviewed, uid, apiVersion, objects);
    let converted: ConvertedObjects;
    try {
      const review = await client.post(getMetadata(crd).name ?? "", clientConfig, body, TIMEOUT_SECONDS);
      converted = readConversionResponse(review, reviewed, uid);
    } catch (error) {
      throw conversionError(`${of} failed: ${(error as Error).message}`);
    }
    if (converted.length !== objects.length)
      throw conversionError(`${of} returned ${converted.length} objects, expected ${objects.length}`);
    return objects.map((object, index) => checkConvertedObject(object, converted[index], apiVersion, of));
  };

  return async (objects, apiVersion) => {
    const strange = objects.find((object) => !known.has(String(object["apiVersion"])));
    if (strange !== undefined)
      throw conversionError(`request to convert CR from an invalid group/version: ${String(strange["apiVersion"])}`);
    const others = objects.filter((object) => object["apiVersion"] !== apiVersion);
    if (others.length === 0) return objects;
    const converted = await callWebhook(others, apiVersion);
    let next = 0;
    return objects.map((object) => (object["apiVersion"] === apiVersion ? object : (converted[next++] as JsonObject)));
  };
}

/** Converts objects of any version to one, in the same order; objects in that version are not sent. */
export type Converter = (objects: readonly JsonObject[], apiVersion: string) => Promise<readonly JsonObject[]>;

/** Creates the conversion of one version of a CRD. Defaults are those of the stored version. */
export function createConversion(
  converter: Converter,
  defaulted: (object: JsonObject) => JsonObject,
  apiVersion: string,
  storedVersion: string,
): Conversion {
  const complete = (object: JsonObject) => (object["apiVersion"] === apiVersion ? object : defaulted(object));
  return {
    fromStorage: (objects) => converter(objects.map(complete), apiVersion),
    toStorage: async (object) => (await converter([object], storedVersion))[0] as JsonObject,
    convert: converter,
  };
}

function buildConversionReview(version: string, uid: string, desiredAPIVersion: string, objects: readonly JsonObject[]): JsonObject {
  const blank = { uid: "", convertedObjects: null, result: { metadata: {} } };
  return { kind: "ConversionReview", apiVersion: `${GROUP}/${version}`, request: { uid, desiredAPIVersion, objects }, response: blank };
}

/** Checks a converted object and restores the metadata that a webhook may not change. */
function checkConvertedObject(original: JsonObject, made: unknown, apiVersion: string, of: string): JsonObject {
  const invalidObjectError = (why: string) => conversionError(`${of} returned invalid object${why}`);
  if (!isJsonObject(made as JsonObject)) throw invalidObjectError(" at index 0: not an object");
  const converted = made as JsonObject;
  const place = " at index 0:";
  if (converted["apiVersion"] !== apiVersion) {
    throw invalidObjectError(`${place} invalid groupVersion (expected ${apiVersion}, received ${String(converted["apiVersion"] ?? "")})`);
  }
  if (converted["kind"] !== original["kind"]) {
    throw invalidObjectError(`${place} invalid kind (expected ${String(original["kind"])}, received ${String(converted["kind"] ?? "")})`);
  }
  const [was, is] = [getMetadata(original), isJsonObject(converted["metadata"]) ? getMetadata(converted) : {}];
  for (const field of ["name", "namespace", "uid"] as const) {
    const shown = field === "uid" ? "UID" : field;
    if ((was[field] ?? "") !== (is[field] ?? "")) {
      throw invalidObjectError(`: must have the same ${shown}: ${was[field] ?? ""} != ${is[field] ?? ""}`);
    }
  }
  return { ...converted, metadata: mergeConvertedMetadata(original, converted, of) };
}

const MUTABLE_METADATA = ["labels", "annotations"] as const;

/** A webhook may change labels and annotations only. */
function mergeConvertedMetadata(original: JsonObject, converted: JsonObject, of: string): JsonObject {
  const invalidMetadataError = (why: string) => conversionError(`${of} returned invalid metadata: ${why}`);
  const { metadata } = converted;
  if (!isJsonObject(metadata))
    throw invalidMetadataError(metadata === undefined ? "missing metadata in converted object" : "invalid metadata in converted object");
  const result: Record<string, unknown> = { ...(original["metadata"] as JsonObject) };
  for (const field of MUTABLE_METADATA) {
    const given = metadata[field] ?? undefined;
    if (given === undefined) {
      delete result[field];
      continue;
    }
    if (!isJsonObject(given)) throw invalidMetadataError(`invalid metadata.${field} of type ${formatGoType(given)} in converted object`);
    const odd = Object.entries(given).find(([, value]) => typeof value !== "string");
    if (odd !== undefined)
      throw invalidMetadataError(`metadata.${field}[${odd[0]}] must be a string, but is ${formatGoType(odd[1])} in converted object`);
    result[field] = given;
  }
  return result as JsonObject;
}

function formatGoType(value: unknown): string {
  if (value === null) return "<nil>";
  if (Array.isArray(value)) return "[]interface {}";
  if (typeof value === "object") return "map[string]interface {}";
  return typeof value === "boolean" ? "bool" : typeof value === "number" ? (Number.isInteger(value) ? "int64" : "float64") : "string";
}

/** Formats a kind as Go does: `example.com/v1, Kind=Widget`. */
function formatKind(object: JsonObject): string {
  return `${String(object["apiVersion"])}, Kind=${String(object["kind"])}`;
}

const conversionError = (message: string) => new ApiError(500, "", message);

/** Converted objects, not validated. */
type ConvertedObjects = readonly (Json | undefined)[];

/** Reads the converted objects from the response of a webhook. Throws an Error with the text of kube-apiserver. */
function readConversionResponse(review: JsonObject, version: string, uid: string): ConvertedObjects {
  const { kind, apiVersion, response } = review;
  const wanted = `apiextensions.k8s.io/${version}`;
  if (kind === "Status" && apiVersion === "v1")
    throw new Error(`converting (v1.Status) to (${version}.ConversionReview): unknown conversion`);
  const known = kind === "ConversionReview" && String(apiVersion).startsWith("apiextensions.k8s.io/");
  if (kind && apiVersion && !known) {
    throw new Error(
      `no kind ${quoteGoString(String(kind))} is registered for version ${quoteGoString(String(apiVersion))} in scheme "pkg/runtime/scheme.go:111"`,
    );
  }
  if (version === "v1" && (kind !== "ConversionReview" || apiVersion !== wanted)) {
    throw new Error(
      `expected webhook response of ${wanted}, Kind=ConversionReview, got ${formatGroupVersion(apiVersion)}, Kind=${String(kind ?? "")}`,
    );
  }
  if (!isJsonObject(response)) throw new Error("no response provided");
  if (version === "v1" && (response["uid"] ?? "") !== uid) {
    throw new Error(`expected response.uid=${quoteGoString(uid)}, got ${quoteGoString(String(response["uid"] ?? ""))}`);
  }
  const { status = "", message = "" } = (response["result"] ?? {}) as { readonly status?: string; readonly message?: string };
  if (status !== "Success") throw new Error(message || `response.result.status was '${status}', not 'Success'`);
  return (response["convertedObjects"] ?? []) as ConvertedObjects;
}

function formatGroupVersion(apiVersion: Json | undefined): string {
  const text = String(apiVersion ?? "");
  return text.includes("/") ? text : `/${text}`;
}
