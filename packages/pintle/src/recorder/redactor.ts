import { createHmac, randomBytes } from "node:crypto";
import { isJsonObject, type Json, type JsonObject, parseJson, setOwnProperty, stringifyJson } from "../json/index.ts";
import { findCredentials } from "./credential-forms.ts";
import { findSecretParts, formsOfBytes, formsOfText, type SecretForm } from "./secret-forms.ts";
import { builtInSensitiveFields, type SensitiveFields, visitSensitiveValues } from "./sensitive-fields.ts";
import { CREDENTIALS, ESCAPES, findHints } from "./text-hints.ts";
import { createTextSearch, MIN_LENGTH, type TextHit } from "./text-search.ts";
import { unescapeText } from "./unescape.ts";

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
  /** Returns the key of the hashes, for another process that records for this recording. It must never be written to a file or a log. */
  copyKey(): Uint8Array;
}

const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";
const REDACTED = /^\(redacted [0-9a-f]{12}\)$/;
const HASH_LENGTH = 12;
/** The length of the key of the hashes. */
export const HASH_KEY_BYTES = 32;
/** Values that are remembered, so that they are found in texts, twice: of more, those that were not seen for longest are forgotten. */
const MAX_VALUES = 20_000;
/** Longer values are remembered by their hash. */
const MAX_ID = 64;
/** Fields by which facts are joined: they are never searched. */
const IDENTITY = new Set(["name", "namespace", "uid", "resourceVersion", "generateName"]);

/** Returns whether a value was replaced by a redactor. */
export const isRedacted = (value: unknown): boolean => typeof value === "string" && REDACTED.test(value);

/** Creates a redactor. Its key exists in memory only, so that a hash cannot be compared with guesses. */
export function createRedactor(key: Uint8Array = randomBytes(HASH_KEY_BYTES), maxValues = MAX_VALUES): Redactor {
  let recent = createKnownValues();
  let older = createKnownValues();
  let generation = 0;

  const sign = (value: string | Uint8Array) => createHmac("sha256", key).update(value).digest("hex");
  const hash = (value: string | Uint8Array) => `(redacted ${sign(value).slice(0, HASH_LENGTH)})`;
  const hide = (value: Json, encoding?: "base64"): Json => {
    if (value === null || isRedacted(value)) return value;
    // Of the value itself, so that it has one hash in `data`, in `stringData` and in texts.
    if (encoding === "base64" && typeof value === "string") return hash(Buffer.from(value, "base64"));
    return hash(typeof value === "string" ? value : stringifyJson(value));
  };
  /** Remembers the forms of a value, once. */
  const remember = (value: string | Uint8Array, formsOf: () => readonly SecretForm[], label: string) => {
    const id = typeof value === "string" && value.length <= MAX_ID ? value : sign(value);
    if (recent.ids.has(id)) return;
    if (recent.ids.size >= maxValues) {
      older = recent;
      recent = createKnownValues();
    }
    recent.ids.add(id);
    if (!older.ids.has(id)) generation++;
    for (const { start, length } of formsOf()) recent.search.add(start, length, label);
  };
  const learn = (value: string) => {
    if (Buffer.byteLength(value) < MIN_LENGTH || isRedacted(value)) return;
    remember(value, () => formsOfText(value), hash(value));
    for (const part of findSecretParts(value)) remember(part, () => formsOfText(part), hash(part));
  };
  const learnValue = (value: Json) => {
    if (typeof value === "string") learn(value);
    else if (typeof value !== "object" || value === null) return;
    else for (const each of Object.values(value)) learnValue(each as Json);
  };

  const findKnown = (text: string) => {
    const hits = recent.search.find(text);
    return older.search.isEmpty ? hits : [...hits, ...older.search.find(text)];
  };
  const findInText = (text: string, hints: number): readonly TextHit<string>[] => {
    if (recent.search.isEmpty) return NO_HITS;
    const hits = findKnown(text);
    if ((hints & ESCAPES) === 0) return hits;
    const unescaped = unescapeText(text).flatMap(({ text: plain, positions }) =>
      findKnown(plain).map(({ start, end, label }) => ({ start: positions[start] as number, end: positions[end] as number, label })),
    );
    return [...hits, ...unescaped];
  };
  const redactText = (text: string): string => {
    if (text.length < MIN_LENGTH) return text;
    const hints = findHints(text);
    const hits = findInText(text, hints);
    const credentials = (hints & CREDENTIALS) === 0 ? NO_HITS : findCredentials(text);
    if (hits.length === 0 && credentials.length === 0) return text;
    return replaceHits(text, [...hits, ...credentials.map(({ start, end }) => ({ start, end, label: hash(text.slice(start, end)) }))]);
  };
  const hasSecret = (text: string) =>
    text.length >= MIN_LENGTH && (findInText(text, findHints(text)).length > 0 || findCredentials(text).length > 0);
  const redactPlain = (value: Json, isMetadata: boolean): Json => {
    if (typeof value === "string") return redactText(value);
    if (typeof value === "number") return isLong(value) && hasSecret(String(value)) ? hash(String(value)) : value;
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return redactList(value as readonly Json[]);
    const object = value as JsonObject;
    const { kind, data, stringData } = object;
    // An object of its own, for example in a log line.
    if (typeof kind === "string" && (isJsonObject(data) || isJsonObject(stringData)) && builtInSensitiveFields(kind) !== undefined)
      return redactObject(object);
    // A schema can hold secrets as defaults.
    const isSecretSchema = object["format"] === "password";
    return mapFields(object, redactText, (name, field) => {
      if (isMetadata && IDENTITY.has(name)) return field;
      return isSecretSchema && SCHEMA_VALUES.has(name) ? hide(field) : redactPlain(field, name === "metadata");
    });
  };
  /** A secret can be cut into the items of a list: bytes, characters, lines. */
  const redactList = (list: readonly Json[]): Json => {
    const redacted = mapItems(list, (item) => redactPlain(item, false));
    if (redacted !== list || list.length < 2 || recent.search.isEmpty) return redacted;
    const isCut = JOINTS.some(([type, joint]) => list.every((item) => typeof item === type) && hasSecret(list.join(joint)));
    return isCut ? list.map((item) => hide(item)) : list;
  };
  const redactFields = (value: Json, fields: SensitiveFields | undefined, isMetadata: boolean): Json => {
    if (fields === undefined) return redactPlain(value, isMetadata);
    if (fields.all === true) return hide(value, fields.encoding);
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
    copyKey: () => Uint8Array.from(key),
    learn,
    learnObject(object, fields = builtInSensitiveFields(String(object["kind"]))) {
      if (fields === undefined) return;
      // Its namespace and the authority are known to all.
      const learned = object["type"] === "kubernetes.io/service-account-token" ? withToken(object) : object;
      visitSensitiveValues(learned, fields, (value, encoding) =>
        encoding === "base64" && typeof value === "string" ? learnEncoded(value) : learnValue(value),
      );
    },
    redactObject,
    redactValue: (value, fields) => (value === undefined ? undefined : redactFields(value, fields, false)),
    redactText,
    hasSecret,
  };

  /** Remembers a value of `data`. */
  function learnEncoded(value: string): void {
    const bytes = Buffer.from(value, "base64");
    if (bytes.length < MIN_LENGTH) return;
    const text = bytes.toString("utf8");
    // Bytes that are no text can only appear encoded.
    if (Buffer.from(text, "utf8").equals(bytes)) learn(text);
    else remember(bytes, () => formsOfBytes(bytes), hash(bytes));
  }
}

/** Values that are looked for. */
const createKnownValues = () => ({ ids: new Set<string>(), search: createTextSearch<string>() });

const withToken = ({ data, ...rest }: JsonObject): JsonObject => {
  const token = isJsonObject(data) ? data["token"] : undefined;
  return { ...rest, data: token === undefined ? {} : { token } };
};

const NO_HITS: readonly never[] = [];
/** Fields of a schema that hold values. */
const SCHEMA_VALUES = new Set(["default", "example", "enum", "const"]);
/** How the items of a list that is a cut text are joined. */
const JOINTS = [
  ["string", ""],
  ["string", "\n"],
  ["number", ","],
] as const;
/** Whether a number has enough digits for a secret that is looked for. */
const isLong = (value: number) => Math.abs(value) >= 10 ** (MIN_LENGTH - 1) || !Number.isInteger(value);

/** Replaces what was found by labels; what overlaps, by one. */
function replaceHits(text: string, hits: readonly TextHit<string>[]): string {
  const sorted = [...hits].sort((a, b) => a.start - b.start || b.end - a.end);
  let out = "";
  let last = 0;
  for (const { start, end, label } of sorted) {
    if (start >= last) out += text.slice(last, start) + label;
    last = Math.max(last, end);
  }
  return out + text.slice(last);
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
