import { isObject, type JsonObject } from "pintle/kinds";
import type { Random } from "pintle/queue";
import type { CustomResourceDefinition } from "../../schema/index.ts";
import { ApiError } from "../../status/index.ts";
import { generateUid } from "../metadata/generate-name.ts";
import { metadataOf } from "../metadata/metadata.ts";
import { apiVersionOf, type Conversion } from "../resource.ts";
import { type Converted, checkConverted } from "./converted.ts";
import type { WebhookClient } from "./webhook-client.ts";

const TIMEOUT_SECONDS = 30;
const GROUP = "apiextensions.k8s.io";

/** What conversions need to know of where they happen. */
export interface ConversionContext {
  readonly client: WebhookClient;
  /** For uids of reviews, whose values do not matter. */
  readonly jitter: Random;
}

interface WebhookConversion {
  readonly clientConfig?: JsonObject;
  readonly conversionReviewVersions?: readonly string[];
}

/** Turns objects of a CRD into any of its versions: by asking the webhook that the CRD names. */
export function webhookConverter(crd: JsonObject, { client, jitter }: ConversionContext): Converter {
  const { spec } = crd as unknown as CustomResourceDefinition;
  const { group = "", versions = [], conversion } = spec;
  const { clientConfig = {}, conversionReviewVersions = [] } = ((conversion as JsonObject | undefined)?.["webhook"] ??
    {}) as WebhookConversion;
  const known = new Set(versions.map(({ name }) => apiVersionOf({ group, version: name })));
  const reviewed = conversionReviewVersions.find((version) => version === "v1" || version === "v1beta1");

  const asked = async (objects: readonly JsonObject[], apiVersion: string): Promise<readonly JsonObject[]> => {
    const of = `conversion webhook for ${kindText(objects[0] as JsonObject)}`;
    if (reviewed === undefined) throw failure("no supported conversion review versions");
    const uid = generateUid(jitter);
    const body = review(reviewed, uid, apiVersion, objects);
    let answer: Converted;
    try {
      const review = await client.post(metadataOf(crd).name ?? "", clientConfig, body, TIMEOUT_SECONDS);
      answer = checkConverted(review, reviewed, uid);
    } catch (error) {
      throw failure(`${of} failed: ${(error as Error).message}`);
    }
    if (answer.length !== objects.length) throw failure(`${of} returned ${answer.length} objects, expected ${objects.length}`);
    return objects.map((object, index) => accepted(object, answer[index], apiVersion, of));
  };

  return async (objects, apiVersion) => {
    const strange = objects.find((object) => !known.has(String(object["apiVersion"])));
    if (strange !== undefined) throw failure(`request to convert CR from an invalid group/version: ${String(strange["apiVersion"])}`);
    const others = objects.filter((object) => object["apiVersion"] !== apiVersion);
    if (others.length === 0) return objects;
    const converted = await asked(others, apiVersion);
    let next = 0;
    return objects.map((object) => (object["apiVersion"] === apiVersion ? object : (converted[next++] as JsonObject)));
  };
}

/** Objects of any version in one, in the same order; what is in it already is not asked about. */
export type Converter = (objects: readonly JsonObject[], apiVersion: string) => Promise<readonly JsonObject[]>;

/** The conversion of one version of a CRD. Defaults are those of the version that was stored. */
export function conversionOf(
  converter: Converter,
  defaulted: (object: JsonObject) => JsonObject,
  apiVersion: string,
  storedVersion: string,
): Conversion {
  const complete = (object: JsonObject) => (object["apiVersion"] === apiVersion ? object : defaulted(object));
  return {
    fromStorage: (objects) => converter(objects.map(complete), apiVersion),
    toStorage: async (object) => (await converter([object], storedVersion))[0] as JsonObject,
    between: converter,
  };
}

function review(version: string, uid: string, desiredAPIVersion: string, objects: readonly JsonObject[]): JsonObject {
  const blank = { uid: "", convertedObjects: null, result: { metadata: {} } };
  return { kind: "ConversionReview", apiVersion: `${GROUP}/${version}`, request: { uid, desiredAPIVersion, objects }, response: blank };
}

/** What the webhook made, with the metadata that it may not touch. */
function accepted(original: JsonObject, made: unknown, apiVersion: string, of: string): JsonObject {
  const wrong = (why: string) => failure(`${of} returned invalid object${why}`);
  if (!isObject(made as JsonObject)) throw wrong(" at index 0: not an object");
  const converted = made as JsonObject;
  const place = " at index 0:";
  if (converted["apiVersion"] !== apiVersion) {
    throw wrong(`${place} invalid groupVersion (expected ${apiVersion}, received ${String(converted["apiVersion"] ?? "")})`);
  }
  if (converted["kind"] !== original["kind"]) {
    throw wrong(`${place} invalid kind (expected ${String(original["kind"])}, received ${String(converted["kind"] ?? "")})`);
  }
  const [was, is] = [metadataOf(original), isObject(converted["metadata"]) ? metadataOf(converted) : {}];
  for (const field of ["name", "namespace", "uid"] as const) {
    const shown = field === "uid" ? "UID" : field;
    if ((was[field] ?? "") !== (is[field] ?? "")) {
      throw wrong(`: must have the same ${shown}: ${was[field] ?? ""} != ${is[field] ?? ""}`);
    }
  }
  return { ...converted, metadata: restored(original, converted, of) };
}

const OWN = ["labels", "annotations"] as const;

/** Of metadata, a webhook decides about labels and annotations only. */
function restored(original: JsonObject, converted: JsonObject, of: string): JsonObject {
  const wrong = (why: string) => failure(`${of} returned invalid metadata: ${why}`);
  const { metadata } = converted;
  if (!isObject(metadata))
    throw wrong(metadata === undefined ? "missing metadata in converted object" : "invalid metadata in converted object");
  const result: Record<string, unknown> = { ...(original["metadata"] as JsonObject) };
  for (const field of OWN) {
    const given = metadata[field] ?? undefined;
    if (given === undefined) {
      delete result[field];
      continue;
    }
    if (!isObject(given)) throw wrong(`invalid metadata.${field} of type ${goType(given)} in converted object`);
    const odd = Object.entries(given).find(([, value]) => typeof value !== "string");
    if (odd !== undefined) throw wrong(`metadata.${field}[${odd[0]}] must be a string, but is ${goType(odd[1])} in converted object`);
    result[field] = given;
  }
  return result as JsonObject;
}

function goType(value: unknown): string {
  if (value === null) return "<nil>";
  if (Array.isArray(value)) return "[]interface {}";
  if (typeof value === "object") return "map[string]interface {}";
  return typeof value === "boolean" ? "bool" : typeof value === "number" ? (Number.isInteger(value) ? "int64" : "float64") : "string";
}

/** As Go prints a kind: `example.com/v1, Kind=Widget`. */
function kindText(object: JsonObject): string {
  return `${String(object["apiVersion"])}, Kind=${String(object["kind"])}`;
}

const failure = (message: string) => new ApiError(500, "", message);
