/**
 * A CEL value. int is a bigint and double a number; types without a JavaScript counterpart are classes. An error is a
 * value too, because && and || and the macros built on them can ignore errors.
 */
export type Value =
  | boolean
  | bigint
  | number
  | string
  | null
  | Uint8Array
  | Uint
  | Duration
  | Timestamp
  | TypeValue
  | Optional
  | ListValue
  | MapValue
  | OpaqueValue
  | Failure;

/** The error value of a failed evaluation. */
export class Failure {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

export function createFailure(message: string): Failure {
  return new Failure(message);
}

export const NO_OVERLOAD = new Failure("no such overload");

export class Uint {
  readonly value: bigint;
  constructor(value: bigint) {
    this.value = value;
  }
}

/** A duration in nanoseconds. */
export class Duration {
  readonly nanos: bigint;
  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

/** A timestamp in nanoseconds since the Unix epoch. */
export class Timestamp {
  readonly nanos: bigint;
  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

/** A type as a value, the result of type(x). */
export class TypeValue {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

export class Optional {
  static readonly none = new Optional(undefined);
  readonly value: Value | undefined;
  constructor(value: Value | undefined) {
    this.value = value;
  }
}

/** A value of a type that a library defines; only the functions of that library can read it. */
export abstract class OpaqueValue {
  abstract readonly typeName: string;
  abstract equals(other: OpaqueValue): boolean;
}

export abstract class ListValue {
  abstract readonly size: number;
  /** Returns an item; requires 0 <= index < size. */
  abstract at(index: number): Value;
  /** Returns this list followed by another. Copies nothing: the cost of the operator does not depend on the sizes. */
  concat(other: ListValue): ListValue {
    if (this.size === 0) return other;
    return other.size === 0 ? this : new ConcatenatedList(this, other);
  }
  *values(): Iterable<Value> {
    for (let i = 0; i < this.size; i++) yield this.at(i);
  }
}

export class PlainList extends ListValue {
  /** Whether a concatenation looks for equal items. */
  readonly mergesItems: boolean = false;
  readonly #items: readonly Value[];
  constructor(items: readonly Value[]) {
    super();
    this.#items = items;
  }
  get size(): number {
    return this.#items.length;
  }
  at(index: number): Value {
    return this.#items[index]!;
  }
  override values(): Iterable<Value> {
    return this.#items;
  }
}

/** Two lists, one behind the other. */
class ConcatenatedList extends ListValue {
  readonly size: number;
  readonly #left: ListValue;
  readonly #right: ListValue;

  constructor(left: ListValue, right: ListValue) {
    super();
    this.size = left.size + right.size;
    this.#left = left;
    this.#right = right;
  }

  at(index: number): Value {
    let list: ListValue = this;
    let rest = index;
    while (list instanceof ConcatenatedList) {
      const { size } = list.#left;
      if (rest < size) list = list.#left;
      else {
        rest -= size;
        list = list.#right;
      }
    }
    return list.at(rest);
  }

  override *values(): Iterable<Value> {
    const pending: ListValue[] = [this];
    for (let list = pending.pop(); list !== undefined; list = pending.pop()) {
      if (list instanceof ConcatenatedList) pending.push(list.#right, list.#left);
      else yield* list.values();
    }
  }
}

export abstract class MapValue {
  abstract readonly size: number;
  /** Returns undefined if there is no such key, and a `Failure` if the value cannot be a key. */
  abstract find(key: Value): Value | undefined;
  abstract keys(): Iterable<Value>;
}

/** A map built by an expression; keys are bool, int, uint or string. */
export class PlainMap extends MapValue {
  readonly #entries: ReadonlyMap<string, readonly [Value, Value]>;
  constructor(entries: ReadonlyMap<string, readonly [Value, Value]>) {
    super();
    this.#entries = entries;
  }
  get size(): number {
    return this.#entries.size;
  }
  find(key: Value): Value | undefined {
    const id = getMapKey(key);
    return id === undefined ? undefined : this.#entries.get(id)?.[1];
  }
  *keys(): Iterable<Value> {
    for (const [key] of this.#entries.values()) yield key;
  }
  with(key: Value, value: Value): PlainMap {
    return new PlainMap(new Map(this.#entries).set(getMapKey(key)!, [key, value]));
  }
}

/** The value of a message literal. */
export class StructValue extends PlainMap {
  readonly structName: string;
  constructor(structName: string, fields: ReadonlyMap<string, Value>) {
    super(new Map([...fields].map(([name, value]) => [getMapKey(name)!, [name, value]])));
    this.structName = structName;
  }
}

/** Returns an identifier that equal keys share across numeric types; undefined if the value cannot be a key. */
export function getMapKey(key: Value): string | undefined {
  switch (typeof key) {
    case "string":
      return `s${key}`;
    case "bigint":
      return `n${key}`;
    case "boolean":
      return `b${key}`;
    case "number":
      return Number.isInteger(key) ? `n${BigInt(key)}` : undefined;
    default:
      return key instanceof Uint ? `n${key.value}` : undefined;
  }
}

/** Returns the name of a value's type, as `type(x)` and errors print it. */
export function getTypeName(value: Value): string {
  switch (typeof value) {
    case "string":
      return "string";
    case "bigint":
      return "int";
    case "number":
      return "double";
    case "boolean":
      return "bool";
  }
  if (value === null) return "null_type";
  if (value instanceof ListValue) return "list";
  if (value instanceof MapValue) return value instanceof StructValue ? value.structName : "map";
  if (value instanceof Uint) return "uint";
  if (value instanceof Uint8Array) return "bytes";
  if (value instanceof Duration) return "google.protobuf.Duration";
  if (value instanceof Timestamp) return "google.protobuf.Timestamp";
  if (value instanceof TypeValue) return "type";
  if (value instanceof Optional) return "optional_type";
  return value instanceof Failure ? "error" : value.typeName;
}
