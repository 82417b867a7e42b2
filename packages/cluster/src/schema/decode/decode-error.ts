import type { Json } from "pintle/kinds";

/**
 * Thrown if an object cannot be decoded, because its metadata has the wrong type. The message is the text of kube-apiserver after
 * "cannot be handled as a Widget: ".
 *
 * @example
 * ```ts
 * import { compileSchema, DecodeError } from "@pintle/cluster/schema";
 *
 * try {
 *   compileSchema({ type: "object" }).prune({ apiVersion: "example.com/v1", kind: "Widget", metadata: { name: 7 } });
 * } catch (error) {
 *   if (error instanceof DecodeError) console.error(error.message);
 * }
 * ```
 */
export class DecodeError extends Error {
  override readonly name: string = "DecodeError";

  /** The message for a value that was converted in memory (strategic merge patch) instead of decoded from JSON text. */
  get conversionMessage(): string {
    return this.message;
  }
}

/**
 * Thrown if a JSON value has the wrong type, with the text of Go's decoder. Struct decoders add the field path while
 * the error propagates.
 */
export class TypeMismatchError extends DecodeError {
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
    this.#ofValue = formatConversionError(value, type);
    this.#updateMessage();
  }

  override get conversionMessage(): string {
    return this.#ofValue;
  }

  addField(struct: string, field: string): this {
    this.#struct ||= struct;
    this.#path = this.#path === "" ? field : `${field}.${this.#path}`;
    this.#updateMessage();
    return this;
  }

  /** Replaces the type name by its declared name; has no effect after the first `addField`. */
  renameType(name: (type: string) => string): this {
    if (this.#struct === "") this.#type = name(this.#type);
    return this;
  }

  #updateMessage(): void {
    const target = this.#struct === "" ? "value" : `struct field ${this.#struct}.${this.#path}`;
    this.message = `json: cannot unmarshal ${this.#value} into Go ${target} of type ${this.#type}`;
  }
}

/** Formats the error of Go's unstructured converter, which kube-apiserver uses for values in memory. */
function formatConversionError(value: string, type: string): string {
  const from = toGoKind(value);
  if (type.startsWith("map[")) return `cannot restore map from ${from}`;
  if (type.startsWith("[]")) return `cannot restore slice from ${from}`;
  if (!/^(bool|string|u?int\d+|float64)$/.test(type)) return `cannot restore struct from: ${from}`;
  const convertible = /64$/.test(from) && type !== "bool" && !(from === "float64" && type === "string");
  return convertible ? `cannot convert ${from} to ${type}` : `unrecognized type: ${type}`;
}

function toGoKind(value: string): string {
  if (value.startsWith("number")) return value.includes(".") ? "float64" : "int64";
  return value === "array" ? "slice" : value === "object" ? "map" : value;
}

/** Returns the name of a JSON type as Go's decoder prints it. */
export function getJsonTypeName(value: Json): string {
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
