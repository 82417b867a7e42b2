import { createHmac, randomBytes } from "node:crypto";
import { isJsonObject, type Json, type JsonObject, parseJson, setOwnProperty, stringifyJson } from "../json/index.ts";
import { builtInSensitiveFields, type SensitiveFields, visitSensitiveValues } from "./sensitive-fields.ts";
import { createTextSearch, MIN_LENGTH } from "./text-search.ts";

/** Replaces secrets by keyed hashes: equal values have equal hashes in one recording, so that a change stays visible. */
export interface Redactor {
  /** Remembers the secret values of an object, so that they are found in texts. `fields`: those of its kind; default: of the built-in kind. */
  learnObject(object: JsonObject, fields?: SensitiveFields): void;
  /** Remembers one secret value. */
  learn(value: string): void;
  /** Returns the object without secrets; the object itself if it has none. `fields`: as in `learnObject`. */
  redactObject(object: JsonObject, fields?: SensitiveFields): JsonObject;
  /** Returns the value of a field without secrets. `fields`: the secret fields below it. */
  redactValue(value: Json | undefined, fields?: SensitiveFields): Json | undefined;
  redactText(text: string): string;
  /** Returns whether the text contains a known secret value. */
  hasSecret(text: string): boolean;
  /** Grows with every value that is learned: texts that were redacted before may contain it. */
  readonly generation: number;
}

const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";
const REDACTED = /^\(redacted [0-9a-f]{12}\)$/;
const HASH_LENGTH = 12;
/** Secret values that are remembered; a process that sees more of them is not the place to search texts. */
const MAX_VALUES = 100_000;
/** Fields by which facts are joined: they are never searched. */
const IDENTITY = new Set(["name", "namespace", "uid", "resourceVersion", "generateName"]);

/** Returns whether a value was replaced by a redactor. */
export const isRedacted = (value: unknown): boolean => typeof value === "string" && REDACTED.test(value);

/** Creates a redactor. Its key exists in memory only, so that a hash cannot be compared with guesses. */
export function createRedactor(key: Uint8Array = randomBytes(32)): Redactor {
  const search = createTextSearch();
  const learned = new Set<string>();
  let generation = 0;

  const hash = (value: string) => `(redacted ${createHmac("sha256", key).update(value).digest("hex").slice(0, HASH_LENGTH)})`;
  const hide = (value: Json): Json =>
    value === null || isRedacted(value) ? value : hash(typeof value === "string" ? value : stringifyJson(value));
  const remember = (value: string) => {
    if (value.length < MIN_LENGTH || learned.has(value) || learned.size >= MAX_VALUES || isRedacted(value)) return;
    learned.add(value);
    generation++;
    search.add(value);
  };
  /** Remembers a value in the forms in which it appears in texts: in JSON, in URLs, as base64, and without the last line break. */
  const learn = (value: string) => {
    if (Buffer.byteLength(value) < MIN_LENGTH) return;
    for (const each of new Set([value, value.trim()])) {
      const escaped = JSON.stringify(each).slice(1, -1);
      for (const form of [each, escaped, encodeURIComponent(toWellFormed(each)), Buffer.from(each).toString("base64")]) remember(form);
    }
  };
  const learnValue = (value: Json) => {
    if (typeof value === "string") learn(value);
    else if (typeof value !== "object" || value === null) return;
    else for (const each of Object.values(value)) learnValue(each as Json);
  };

  const redactText = (text: string) => search.replace(text, hash);
  const redactPlain = (value: Json, isMetadata: boolean): Json => {
    if (typeof value === "string") return redactText(value);
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return mapItems(value as readonly Json[], (item) => redactPlain(item, false));
    const { kind, data, stringData } = value as JsonObject;
    // An object of its own, for example in a log line.
    if (typeof kind === "string" && (isJsonObject(data) || isJsonObject(stringData)) && builtInSensitiveFields(kind) !== undefined)
      return redactObject(value as JsonObject);
    return mapFields(value as JsonObject, redactText, (name, field) =>
      isMetadata && IDENTITY.has(name) ? field : redactPlain(field, name === "metadata"),
    );
  };
  const redactFields = (value: Json, fields: SensitiveFields | undefined, isMetadata: boolean): Json => {
    if (fields === undefined) return redactPlain(value, isMetadata);
    if (fields.all === true) return hide(value);
    if (Array.isArray(value)) return mapItems(value as readonly Json[], (item) => redactFields(item, fields.items, false));
    if (!isJsonObject(value)) return redactPlain(value, false);
    return mapFields(value, redactText, (name, field) => redactFields(field, fields.fields?.[name] ?? fields.items, name === "metadata"));
  };
  const redactLastApplied = (text: string, fields: SensitiveFields): string => {
    try {
      return stringifyJson(redactFields(parseJson(Buffer.from(text)) as Json, fields, false));
    } catch {
      return hash(text);
    }
  };
  function redactObject(object: JsonObject, fields = builtInSensitiveFields(String(object["kind"]))): JsonObject {
    const redacted = mapFields(object, redactText, (name, field) =>
      IDENTITY_FIELDS.has(name) ? field : redactFields(field, fields?.fields?.[name], name === "metadata"),
    );
    const annotations = (object["metadata"] as JsonObject | undefined)?.["annotations"] as JsonObject | undefined;
    const text = annotations?.[LAST_APPLIED];
    if (fields === undefined || typeof text !== "string") return redacted;
    const metadata = redacted["metadata"] as JsonObject;
    const hidden = { ...(metadata["annotations"] as JsonObject), [LAST_APPLIED]: redactLastApplied(text, fields) };
    return { ...redacted, metadata: { ...metadata, annotations: hidden } };
  }

  return {
    get generation() {
      return generation;
    },
    learn,
    learnObject(object, fields = builtInSensitiveFields(String(object["kind"]))) {
      if (fields === undefined) return;
      if (object["kind"] === "Secret") {
        for (const value of Object.values((object["data"] ?? {}) as JsonObject)) if (typeof value === "string") learnEncoded(value);
        for (const value of Object.values((object["stringData"] ?? {}) as JsonObject)) if (typeof value === "string") learn(value);
      } else visitSensitiveValues(object, fields, learnValue);
    },
    redactObject,
    redactValue: (value, fields) => (value === undefined ? undefined : redactFields(value, fields, false)),
    redactText,
    hasSecret: search.matches,
  };

  /** Remembers a value of `data`: decoded, and as it is. */
  function learnEncoded(value: string): void {
    const bytes = Buffer.from(value, "base64");
    if (bytes.length < MIN_LENGTH) return;
    remember(value);
    const text = bytes.toString("utf8");
    // Bytes that are no text can only appear encoded.
    if (Buffer.from(text, "utf8").equals(bytes)) learn(text);
  }
}

const IDENTITY_FIELDS = new Set(["apiVersion", "kind"]);

/** Maps the items of a list; returns the list itself if none changes. */
function mapItems(list: readonly Json[], map: (item: Json) => Json): Json {
  let isChanged = false;
  const mapped = list.map((item) => {
    const value = map(item);
    isChanged ||= value !== item;
    return value;
  });
  return isChanged ? mapped : list;
}

/** Maps keys and values; returns the object itself if none changes. */
function mapFields(object: JsonObject, mapKey: (name: string) => string, mapField: (name: string, field: Json) => Json): JsonObject {
  let changed: Record<string, Json> | undefined;
  for (const name in object) {
    const field = object[name];
    if (field === undefined) continue;
    const [key, value] = [mapKey(name), mapField(name, field)];
    if (changed === undefined && (key !== name || value !== field)) {
      changed = {};
      for (const before in object) {
        if (before === name) break;
        if (object[before] !== undefined) setOwnProperty(changed, before, object[before]);
      }
    }
    if (changed !== undefined) setOwnProperty(changed, key, value);
  }
  return changed ?? object;
}

/** `encodeURIComponent` throws for a lone surrogate. */
const toWellFormed = (text: string) => Buffer.from(text, "utf8").toString("utf8");
