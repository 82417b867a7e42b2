import type { Json } from "pintle/kinds";

/** The body cannot become an object of its kind. The message is what follows "cannot be handled as a Widget: ". */
export class DecodeError extends Error {
  override readonly name: string = "DecodeError";

  /** The same of a value that was no text when it was decoded, but what a strategic merge patch made. */
  get ofValue(): string {
    return this.message;
  }
}

/** A JSON value of the wrong type, in the words of Go's decoder; structs on the way out add where it happened. */
export class Mismatch extends DecodeError {
  override readonly name = "Mismatch";
  readonly #value: string;
  readonly #ofValue: string;
  #type: string;
  #struct = "";
  #path = "";

  constructor(value: string, type: string) {
    super();
    this.#value = value;
    this.#type = type;
    this.#ofValue = conversion(value, type);
    this.#say();
  }

  override get ofValue(): string {
    return this.#ofValue;
  }

  within(struct: string, field: string): this {
    this.#struct ||= struct;
    this.#path = this.#path === "" ? field : `${field}.${this.#path}`;
    this.#say();
    return this;
  }

  /** What the type is called where it was declared; heard only before the first field is named. */
  named(name: (type: string) => string): this {
    if (this.#struct === "") this.#type = name(this.#type);
    return this;
  }

  #say(): void {
    const target = this.#struct === "" ? "value" : `struct field ${this.#struct}.${this.#path}`;
    this.message = `json: cannot unmarshal ${this.#value} into Go ${target} of type ${this.#type}`;
  }
}

/** In memory, values are converted, not decoded, and the converter has words of its own. */
function conversion(value: string, type: string): string {
  const from = goKind(value);
  if (type.startsWith("map[")) return `cannot restore map from ${from}`;
  if (type.startsWith("[]")) return `cannot restore slice from ${from}`;
  if (!/^(bool|string|u?int\d+|float64)$/.test(type)) return `cannot restore struct from: ${from}`;
  const convertible = /64$/.test(from) && type !== "bool" && !(from === "float64" && type === "string");
  return convertible ? `cannot convert ${from} to ${type}` : `unrecognized type: ${type}`;
}

function goKind(value: string): string {
  if (value.startsWith("number")) return value.includes(".") ? "float64" : "int64";
  return value === "array" ? "slice" : value === "object" ? "map" : value;
}

/** What Go calls a JSON value in such an error. */
export function jsonKind(value: Json): string {
  if (Array.isArray(value)) return "array";
  switch (typeof value) {
    case "string":
      return "string";
    case "boolean":
      return "bool";
    case "object":
      return value === null ? "null" : "object";
    default:
      return "number";
  }
}
