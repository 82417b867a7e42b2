import { isJsonObject, stringifyJson } from "pintle/internal/json";
import type { Json, JsonObject } from "pintle/kinds";

const MASK = "***";
const MASK_BEFORE = "*** (before)";
const MASK_AFTER = "*** (after)";
/** Fields of a Secret with sensitive values. */
const SECRET_FIELDS = ["data", "stringData"];
/** Annotations in which a Secret's values are kept again. */
const COPY_ANNOTATIONS = ["kubectl.kubernetes.io/last-applied-configuration"];

export function isSecret({ apiVersion, kind }: JsonObject): boolean {
  return apiVersion === "v1" && kind === "Secret";
}

/**
 * Masks the values of a Secret before and after a change as `kubectl diff` does: equal values and values of one side become "***", and those that
 * differ "*** (before)" and "*** (after)", so that the change stays visible. Copies of the values in annotations are masked too. Other objects
 * are returned unchanged.
 */
export function maskSecretValues(before: JsonObject, after: JsonObject): readonly [before: JsonObject, after: JsonObject] {
  if (!isSecret(before) && !isSecret(after)) return [before, after];
  let [from, to] = [before, after];
  for (const field of SECRET_FIELDS) {
    const [fromMasked, toMasked] = maskFields(from[field], to[field], () => true);
    from = withField(from, field, fromMasked);
    to = withField(to, field, toMasked);
  }
  const [fromAnnotations, toAnnotations] = maskFields(annotationsOf(from), annotationsOf(to), (name) => COPY_ANNOTATIONS.includes(name));
  return [withAnnotations(from, fromAnnotations), withAnnotations(to, toAnnotations)];
}

/** Replaces the values of a Secret in a message about it, such as an error of the API server. */
export function redactSecretValues(object: JsonObject, message: string): string {
  if (!isSecret(object)) return message;
  const texts = SECRET_FIELDS.flatMap((field) => (isJsonObject(object[field]) ? Object.values(object[field]) : [])).flatMap((value) => {
    const text = typeof value === "string" ? value : stringifyJson(value ?? "");
    const decoded = isBase64(text) ? Buffer.from(text, "base64").toString() : "";
    return [text, decoded, Buffer.from(text).toString("base64")].flatMap((each) => [each, JSON.stringify(each).slice(1, -1)]);
  });
  // Longer ones first: one value may be a part of another.
  const sorted = [...new Set(texts)].filter((text) => text !== "").sort((a, b) => b.length - a.length);
  return sorted.reduce((redacted, text) => redacted.replaceAll(text, MASK), message);
}

const isBase64 = (text: string) => text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text);

function maskFields(from: Json | undefined, to: Json | undefined, isSensitive: (name: string) => boolean) {
  const maskValue = (own: Json | undefined, other: Json | undefined, changed: string): Json | undefined => {
    if (!isJsonObject(own)) return own === undefined || own === null ? own : MASK;
    const others = isJsonObject(other) ? other : {};
    return Object.fromEntries(
      Object.entries(own).map(([name, value]) => {
        if (!isSensitive(name)) return [name, value];
        const isChanged = Object.hasOwn(others, name) && stringifyJson(others[name]) !== stringifyJson(value);
        return [name, isChanged ? changed : MASK];
      }),
    );
  };
  return [maskValue(from, to, MASK_BEFORE), maskValue(to, from, MASK_AFTER)] as const;
}

function withField(object: JsonObject, field: string, value: Json | undefined): JsonObject {
  return value === undefined ? object : { ...object, [field]: value };
}

const annotationsOf = ({ metadata }: JsonObject) => (isJsonObject(metadata) ? (metadata["annotations"] as Json | undefined) : undefined);

function withAnnotations(object: JsonObject, annotations: Json | undefined): JsonObject {
  if (!isJsonObject(annotations)) return object;
  return { ...object, metadata: { ...(object["metadata"] as JsonObject), annotations } };
}
