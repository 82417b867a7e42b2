import type { Json } from "pintle/kinds";

/** The body cannot become an object of its kind. The message is what follows "cannot be handled as a Widget: ". */
export class DecodeError extends Error {
  override readonly name: string = "DecodeError";
}

/** A JSON value of the wrong type, in the words of Go's decoder; structs on the way out add where it happened. */
export class Mismatch extends DecodeError {
  override readonly name = "Mismatch";
  readonly #value: string;
  #type: string;
  #struct = "";
  #path = "";

  constructor(value: string, type: string) {
    super();
    this.#value = value;
    this.#type = type;
    this.#say();
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
