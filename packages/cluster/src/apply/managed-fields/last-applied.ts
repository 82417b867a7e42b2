import { encodeGoJson } from "pintle/internal/go-format";
import { isJsonObject, parseJson } from "pintle/internal/json";
import { compareObjects, difference, type FieldSet, toFieldSet, validateAgainstShape } from "pintle/internal/merge";
import type { Json, JsonObject } from "pintle/kinds";
import type { ManagedFieldsSchema } from "./versions.ts";

const ANNOTATION = "kubectl.kubernetes.io/last-applied-configuration";
const MAX_ANNOTATIONS = 256 * 1024;

/**
 * Returns the fields set by client-side apply and unchanged since, which kubectl's server-side apply may take over without a conflict;
 * undefined when the object has no last-applied annotation of this version.
 */
export function getLastAppliedFields(live: JsonObject, { apiVersion, shape }: ManagedFieldsSchema): FieldSet | undefined {
  const text = getAnnotations(live)?.[ANNOTATION];
  if (typeof text !== "string" || text === "") return undefined;
  const applied = parseObject(text);
  if (applied === undefined || applied["apiVersion"] !== apiVersion || validateAgainstShape(applied, shape).length > 0) return undefined;
  const { added, modified, removed } = compareObjects(applied, live, shape);
  return [modified, added, removed].reduce(difference, toFieldSet(applied, shape));
}

/** Updates the last-applied annotation if the object has one, so that client-side apply can take over again. */
export function updateLastAppliedAnnotation(object: JsonObject, config: JsonObject): JsonObject {
  const annotations = getAnnotations(object);
  if (annotations?.[ANNOTATION] === undefined || annotations[ANNOTATION] === "") return object;
  const { [ANNOTATION]: _, ...others } = annotations;
  const next = { ...others, [ANNOTATION]: `${encodeGoJson(removeLastApplied(config))}\n` };
  const size = Object.entries(next).reduce((sum, [key, value]) => sum + byteLength(key) + byteLength(String(value)), 0);
  return { ...object, metadata: { ...(object["metadata"] as JsonObject), annotations: size > MAX_ANNOTATIONS ? others : next } };
}

function removeLastApplied(config: JsonObject): JsonObject {
  const annotations = getAnnotations(config);
  if (annotations?.[ANNOTATION] === undefined) return config;
  const { [ANNOTATION]: _, ...others } = annotations;
  return { ...config, metadata: { ...(config["metadata"] as JsonObject), annotations: others } };
}

function getAnnotations(object: JsonObject): JsonObject | undefined {
  const { metadata } = object;
  const annotations = isJsonObject(metadata) ? metadata["annotations"] : undefined;
  return isJsonObject(annotations) ? annotations : undefined;
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value = parseJson(Buffer.from(text)) as Json;
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function byteLength(text: string): number {
  return Buffer.byteLength(text);
}
