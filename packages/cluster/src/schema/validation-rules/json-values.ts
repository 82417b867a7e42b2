import { parseGoDuration } from "pintle/internal/go-format";
import { isJsonObject } from "pintle/internal/json";
import { memoize } from "pintle/internal/memoize";
import type { Json, JsonObject } from "pintle/kinds";
import {
  createFailure,
  Duration,
  equalValues,
  Failure,
  getMapKey,
  ListValue,
  MapValue,
  NO_OVERLOAD,
  PlainList,
  parseTimestampValue,
  Timestamp,
  type Value,
} from "../cel/index.ts";
import { isDate } from "../formats/string-formats.ts";
import type { JsonSchema } from "../json-schema.ts";
import { deepEqual } from "../validation/deep-equal.ts";
import { isInt64 } from "../validation/numbers.ts";
import { withTypeAndObjectMeta } from "./declared-type.ts";
import { escapePropertyName, unescapePropertyName } from "./property-names.ts";

/** Adapts JSON to a CEL value lazily. */
export type JsonAdapter = (json: Json) => Value;

export const getAdapter: (schema: JsonSchema) => JsonAdapter = memoize((schema: JsonSchema): JsonAdapter => {
  const typed = createTypedAdapter(schema);
  const nullable = schema.nullable === true;
  return (json) =>
    json === null ? (nullable ? null : createFailure("invalid data, got null for schema with nullable=false")) : typed(json);
});

function createTypedAdapter(schema: JsonSchema): JsonAdapter {
  if (schema["x-kubernetes-int-or-string"] === true) return adaptIntOrString;
  switch (schema.type) {
    case "object":
      return createObjectAdapter(schema["x-kubernetes-embedded-resource"] === true ? withTypeAndObjectMeta(schema) : schema);
    case "array":
      return createListAdapter(schema);
    case "string":
      return createStringAdapter(schema.format ?? "");
    case "number":
      return (json) =>
        typeof json === "number" || typeof json === "bigint" ? Number(json) : createFailure("invalid data, expected float");
    case "integer":
      return (json) => (isInt64Json(json) ? BigInt(json) : createFailure("invalid data, expected int"));
    case "boolean":
      return (json) => (typeof json === "boolean" ? json : createFailure("invalid data, expected bool"));
    default:
      return (json) => new UnknownValue(json);
  }
}

function isInt64Json(json: Json): json is number | bigint {
  return (typeof json === "number" || typeof json === "bigint") && isInt64(json);
}

function adaptIntOrString(json: Json): Value {
  if (typeof json === "string") return json;
  return isInt64Json(json) ? BigInt(json) : createFailure("invalid data, expected XIntOrString value to be either a string or integer");
}

function createStringAdapter(format: string): JsonAdapter {
  const read = stringFormatReaders.get(format) ?? ((text: string) => text);
  return (json) => (typeof json === "string" ? read(json) : createFailure("invalid data, expected string"));
}

const stringFormatReaders = new Map<string, (text: string) => Value>(
  Object.entries({
    duration: (text: string) => {
      const parsed = parseGoDuration(text);
      if ("error" in parsed) return createFailure(`Invalid duration ${text}: unable to parse ${text} as duration`);
      return new Duration(parsed.nanoseconds);
    },
    date: (text: string) =>
      isDate(text)
        ? new Timestamp(BigInt(Date.parse(`${text}T00:00:00Z`)) * 1_000_000n)
        : createFailure(`Invalid date formatted string ${text}`),
    "date-time": (text: string) => {
      const time = parseTimestampValue(text.toUpperCase());
      return time instanceof Failure ? createFailure(`Invalid date-time formatted string ${text}`) : time;
    },
    byte: (text: string) => Uint8Array.from(Buffer.from(text, "base64")),
  }),
);

/** A value without a schema: rules cannot access its content, but can compare values that contain it. */
class UnknownValue extends MapValue {
  readonly json: Json;
  readonly size = 0;
  constructor(json: Json) {
    super();
    this.json = json;
  }
  find(): undefined {}
  keys(): [] {
    return [];
  }
  equalTo(other: Value): boolean {
    return other instanceof UnknownValue && deepEqual(this.json, other.json);
  }
}

function createObjectAdapter(schema: JsonSchema): JsonAdapter {
  const { properties, additionalProperties: additional } = schema;
  const fields = properties && new Map(Object.entries(properties).map(([name, of]) => [name, getAdapter(of)]));
  const others = fields === undefined && typeof additional === "object" ? getAdapter(additional) : undefined;
  return (json) =>
    isJsonObject(json)
      ? new JsonMap(json, fields, others)
      : createFailure("invalid data, expected a map for the provided schema with type=object");
}

/** An object with declared fields, or a map with values of one schema. */
class JsonMap extends MapValue {
  readonly json: JsonObject;
  readonly #fields: ReadonlyMap<string, JsonAdapter> | undefined;
  readonly #others: JsonAdapter | undefined;

  constructor(json: JsonObject, fields: ReadonlyMap<string, JsonAdapter> | undefined, others: JsonAdapter | undefined) {
    super();
    this.json = json;
    this.#fields = fields;
    this.#others = others;
  }

  get size(): number {
    return Object.keys(this.json).length;
  }

  find(key: Value): Value | undefined {
    if (typeof key !== "string") return NO_OVERLOAD;
    const name = this.#fields === undefined ? key : unescapePropertyName(key);
    return name === undefined ? undefined : this.#field(name);
  }

  #field(name: string): Value | undefined {
    const adapt = this.#fields === undefined ? this.#others : this.#fields.get(name);
    const json = Object.hasOwn(this.json, name) ? this.json[name] : undefined;
    // A null field of an object counts as missing; a null in a map is a value.
    if (adapt === undefined || json === undefined || (json === null && this.#fields !== undefined)) return undefined;
    return adapt(json);
  }

  *keys(): Iterable<Value> {
    for (const name in this.json) {
      if (this.#fields === undefined) {
        if (this.#others !== undefined) yield name;
      } else if (this.#fields.has(name)) {
        yield escapePropertyName(name) ?? name;
      }
    }
  }

  equalTo(other: Value): boolean | Failure {
    if (!(other instanceof MapValue) || other.size !== this.size) return false;
    for (const name in this.json) {
      const isKnown = this.#fields === undefined ? this.#others !== undefined : this.#fields.has(name);
      if (!isKnown) {
        if (other instanceof JsonMap && Object.hasOwn(other.json, name) && !deepEqual(this.json[name], other.json[name])) return false;
        continue;
      }
      const mine = this.find(name);
      const theirs = other.find(name);
      if ((mine === undefined) !== (theirs === undefined)) return false;
      const same = mine === undefined ? true : equalValues(mine, theirs!);
      if (same !== true) return same;
    }
    return true;
  }
}

function createListAdapter(schema: JsonSchema): JsonAdapter {
  const item = schema.items === undefined ? undefined : getAdapter(schema.items);
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const make = (items: readonly Value[]): ListValue => {
    if (schema["x-kubernetes-list-type"] === "set") return new SetList(items);
    return schema["x-kubernetes-list-type"] === "map" ? new KeyedList(items, keys) : new PlainList(items);
  };
  return (json) => {
    if (!Array.isArray(json)) return createFailure("invalid data, expected an array for the provided schema with type=array");
    return item === undefined ? createFailure("invalid array type, expected Items with a non-empty Schema") : make(json.map(item));
  };
}

/** A list with x-kubernetes-list-type=set: equality ignores the order, and concatenation adds only new items. */
class SetList extends PlainList {
  override readonly mergesItems = true;
  equalTo(other: Value): boolean {
    if (!(other instanceof ListValue) || other.size !== this.size) return false;
    const mine = new Set([...this.values()].map(getIdentity));
    for (const item of other.values()) if (!mine.has(getIdentity(item))) return false;
    return true;
  }
  override concat(other: ListValue): SetList {
    const items = [...this.values()];
    const seen = new Set(items.map(getIdentity));
    for (const item of other.values()) {
      if (seen.has(getIdentity(item))) continue;
      seen.add(getIdentity(item));
      items.push(item);
    }
    return new SetList(items);
  }
}

function getIdentity(value: Value): unknown {
  return getMapKey(value) ?? value;
}

/** A list with x-kubernetes-list-type=map: equality ignores the order, and concatenation replaces items with the same keys. */
class KeyedList extends PlainList {
  override readonly mergesItems = true;
  readonly #keys: readonly string[];
  constructor(items: readonly Value[], keys: readonly string[]) {
    super(items);
    this.#keys = keys;
  }
  #keyOf(item: Value): string {
    const map = item as MapValue;
    return this.#keys
      .map((key) => getMapKey((map instanceof MapValue ? map.find(escapePropertyName(key) ?? key) : undefined) ?? "") ?? "")
      .join("\0");
  }
  equalTo(other: Value): boolean | Failure {
    if (!(other instanceof ListValue) || other.size !== this.size) return false;
    const mine = new Map([...this.values()].map((item) => [this.#keyOf(item), item]));
    for (const item of other.values()) {
      const twin = mine.get(this.#keyOf(item));
      const same = twin !== undefined && equalValues(twin, item);
      if (same !== true) return same;
    }
    return true;
  }
  override concat(other: ListValue): KeyedList {
    const items = new Map([...this.values()].map((item) => [this.#keyOf(item), item]));
    for (const item of other.values()) items.set(this.#keyOf(item), item);
    return new KeyedList([...items.values()], this.#keys);
  }
}
