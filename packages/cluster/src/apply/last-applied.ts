import { isObject, type Json, type JsonObject } from "pintle/kinds";
import { canonical, compare, conform, difference, type FieldSet, toFieldSet } from "pintle/merge";
import type { Schema } from "./versions.ts";

const ANNOTATION = "kubectl.kubernetes.io/last-applied-configuration";
const MAX_ANNOTATIONS = 256 * 1024;

/**
 * What client-side apply put there and nobody changed since: kubectl's server-side apply may take it over without a
 * conflict. undefined when the object was not applied from a client, or in another version.
 */
export function lastAppliedFields(live: JsonObject, { apiVersion, shape }: Schema): FieldSet | undefined {
  const text = annotationsOf(live)?.[ANNOTATION];
  if (typeof text !== "string" || text === "") return undefined;
  const applied = parsed(text);
  if (applied === undefined || applied["apiVersion"] !== apiVersion || conform(applied, shape).length > 0) return undefined;
  const { added, modified, removed } = compare(applied, live, shape);
  return [modified, added, removed].reduce(difference, toFieldSet(applied, shape));
}

/** The object with the annotation brought up to date, if it has one: client-side apply can take over again. */
export function withLastApplied(object: JsonObject, config: JsonObject): JsonObject {
  const annotations = annotationsOf(object);
  if (annotations?.[ANNOTATION] === undefined || annotations[ANNOTATION] === "") return object;
  const { [ANNOTATION]: _, ...others } = annotations;
  const next = { ...others, [ANNOTATION]: `${forHtml(canonical(withoutAnnotation(config)))}\n` };
  const size = Object.entries(next).reduce((sum, [key, value]) => sum + bytes(key) + bytes(String(value)), 0);
  return { ...object, metadata: { ...(object["metadata"] as JsonObject), annotations: size > MAX_ANNOTATIONS ? others : next } };
}

/** The server's JSON can stand inside HTML. */
function forHtml(json: string): string {
  return json.replace(/[<>&\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function withoutAnnotation(config: JsonObject): JsonObject {
  const annotations = annotationsOf(config);
  if (annotations?.[ANNOTATION] === undefined) return config;
  const { [ANNOTATION]: _, ...others } = annotations;
  return { ...config, metadata: { ...(config["metadata"] as JsonObject), annotations: others } };
}

function annotationsOf(object: JsonObject): JsonObject | undefined {
  const { metadata } = object;
  const annotations = isObject(metadata) ? metadata["annotations"] : undefined;
  return isObject(annotations) ? annotations : undefined;
}

function parsed(text: string): JsonObject | undefined {
  try {
    const value = JSON.parse(text) as Json;
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function bytes(text: string): number {
  return Buffer.byteLength(text);
}
