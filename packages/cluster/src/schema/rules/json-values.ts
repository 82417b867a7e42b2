import { isObject, type Json, type JsonObject } from "pintle/kinds";
import {
  Duration,
  equal,
  Failure,
  fail,
  ListValue,
  MapValue,
  mapKey,
  NO_OVERLOAD,
  PlainList,
  readTimestamp,
  Timestamp,
  type Value,
} from "../cel/index.ts";
import type { JsonSchema } from "../json-schema.ts";
import { isDate } from "../text/formats.ts";
import { parseDuration } from "../text/go-duration.ts";
import { deepEqual } from "../validate/equal.ts";
import { isInt64 } from "../validate/numbers.ts";
import { withObjectMeta } from "./declared-type.ts";
import { escapeName, unescapeName } from "./escape.ts";

/** Makes a value for rules out of JSON; parts are made when they are looked at. */
export type Adapter = (json: Json) => Value;

const known = new WeakMap<JsonSchema, Adapter>();

export function adapter(schema: JsonSchema): Adapter {
  let adapt = known.get(schema);
  if (adapt === undefined) {
    const typed = typedAdapter(schema);
    const nullable = schema.nullable === true;
    adapt = (json) => (json === null ? (nullable ? null : fail("invalid data, got null for schema with nullable=false")) : typed(json));
    known.set(schema, adapt);
  }
  return adapt;
}

function typedAdapter(schema: JsonSchema): Adapter {
  if (schema["x-kubernetes-int-or-string"] === true) return intOrString;
  switch (schema.type) {
    case "object":
      return objectAdapter(schema["x-kubernetes-embedded-resource"] === true ? withObjectMeta(schema) : schema);
    case "array":
      return listAdapter(schema);
    case "string":
      return textAdapter(schema.format ?? "");
    case "number":
      return (json) => (typeof json === "number" || typeof json === "bigint" ? Number(json) : fail("invalid data, expected float"));
    case "integer":
      return (json) => (isWhole(json) ? BigInt(json) : fail("invalid data, expected int"));
    case "boolean":
      return (json) => (typeof json === "boolean" ? json : fail("invalid data, expected bool"));
    default:
      return (json) => new UnknownValue(json);
  }
}

function isWhole(json: Json): json is number | bigint {
  return (typeof json === "number" || typeof json === "bigint") && isInt64(json);
}

function intOrString(json: Json): Value {
  if (typeof json === "string") return json;
  return isWhole(json) ? BigInt(json) : fail("invalid data, expected XIntOrString value to be either a string or integer");
}

function textAdapter(format: string): Adapter {
  const read = textReaders.get(format) ?? ((text: string) => text);
  return (json) => (typeof json === "string" ? read(json) : fail("invalid data, expected string"));
}

const textReaders = new Map<string, (text: string) => Value>(
  Object.entries({
    duration: (text: string) => {
      const nanos = parseDuration(text);
      return nanos === undefined ? fail(`Invalid duration ${text}: unable to parse ${text} as duration`) : new Duration(nanos);
    },
    date: (text: string) =>
      isDate(text) ? new Timestamp(BigInt(Date.parse(`${text}T00:00:00Z`)) * 1_000_000n) : fail(`Invalid date formatted string ${text}`),
    "date-time": (text: string) => {
      const time = readTimestamp(text.toUpperCase());
      return time instanceof Failure ? fail(`Invalid date-time formatted string ${text}`) : time;
    },
    byte: (text: string) => Uint8Array.from(Buffer.from(text, "base64")),
  }),
);

/** Data without a schema: rules cannot look into it, but may compare what it is part of. */
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

function objectAdapter(schema: JsonSchema): Adapter {
  const { properties, additionalProperties: additional } = schema;
  const fields = properties && new Map(Object.entries(properties).map(([name, of]) => [name, adapter(of)]));
  const others = fields === undefined && typeof additional === "object" ? adapter(additional) : undefined;
  return (json) =>
    isObject(json) ? new JsonMap(json, fields, others) : fail("invalid data, expected a map for the provided schema with type=object");
}

/** An object with fields, or a map with values of one kind. */
class JsonMap extends MapValue {
  readonly json: JsonObject;
  readonly #fields: ReadonlyMap<string, Adapter> | undefined;
  readonly #others: Adapter | undefined;

  constructor(json: JsonObject, fields: ReadonlyMap<string, Adapter> | undefined, others: Adapter | undefined) {
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
    const name = this.#fields === undefined ? key : unescapeName(key);
    return name === undefined ? undefined : this.#field(name);
  }

  #field(name: string): Value | undefined {
    const adapt = this.#fields === undefined ? this.#others : this.#fields.get(name);
    const json = Object.hasOwn(this.json, name) ? this.json[name] : undefined;
    // A null field of an object is the same as no field; a null in a map is a value.
    if (adapt === undefined || json === undefined || (json === null && this.#fields !== undefined)) return undefined;
    return adapt(json);
  }

  *keys(): Iterable<Value> {
    for (const name in this.json) {
      if (this.#fields === undefined) {
        if (this.#others !== undefined) yield name;
      } else if (this.#fields.has(name)) {
        yield escapeName(name) ?? name;
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
      const same = mine === undefined ? true : equal(mine, theirs!);
      if (same !== true) return same;
    }
    return true;
  }
}

function listAdapter(schema: JsonSchema): Adapter {
  const item = schema.items === undefined ? undefined : adapter(schema.items);
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const make = (items: readonly Value[]): ListValue => {
    if (schema["x-kubernetes-list-type"] === "set") return new SetList(items);
    return schema["x-kubernetes-list-type"] === "map" ? new KeyedList(items, keys) : new PlainList(items);
  };
  return (json) => {
    if (!Array.isArray(json)) return fail("invalid data, expected an array for the provided schema with type=array");
    return item === undefined ? fail("invalid array type, expected Items with a non-empty Schema") : make(json.map(item));
  };
}

/** The order does not count, and adding what is there changes nothing. */
class SetList extends PlainList {
  equalTo(other: Value): boolean {
    if (!(other instanceof ListValue) || other.size !== this.size) return false;
    const mine = new Set([...this.values()].map(identity));
    for (const item of other.values()) if (!mine.has(identity(item))) return false;
    return true;
  }
  override concat(other: ListValue): SetList {
    const items = [...this.values()];
    const seen = new Set(items.map(identity));
    for (const item of other.values()) {
      if (seen.has(identity(item))) continue;
      seen.add(identity(item));
      items.push(item);
    }
    return new SetList(items);
  }
}

function identity(value: Value): unknown {
  return mapKey(value) ?? value;
}

/** Items are told by their keys: order does not count, and adding an item replaces the one with its keys. */
class KeyedList extends PlainList {
  readonly #keys: readonly string[];
  constructor(items: readonly Value[], keys: readonly string[]) {
    super(items);
    this.#keys = keys;
  }
  #keyOf(item: Value): string {
    const map = item as MapValue;
    return this.#keys.map((key) => mapKey((map instanceof MapValue ? map.find(escapeName(key) ?? key) : undefined) ?? "") ?? "").join("\0");
  }
  equalTo(other: Value): boolean | Failure {
    if (!(other instanceof ListValue) || other.size !== this.size) return false;
    const mine = new Map([...this.values()].map((item) => [this.#keyOf(item), item]));
    for (const item of other.values()) {
      const twin = mine.get(this.#keyOf(item));
      const same = twin !== undefined && equal(twin, item);
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
