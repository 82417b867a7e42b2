import { createHash } from "node:crypto";
import { isObject, type Json, type JsonObject } from "pintle/kinds";
import { JSON_TYPE } from "./present/negotiate.ts";
import { type ApiAnswer, type Headers, header } from "./request.ts";

/** With dots: Go's mime parser refuses the `@` that clients ask with. */
const PROTOBUF_TYPE = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

interface Encoded {
  readonly etag: string;
  readonly bytes: Uint8Array;
}
const encodings = new WeakMap<JsonObject, Encoded>();

/** The document in the form the client asks for. Clients keep it by its tag, and ask whether it still holds. */
export function swaggerAnswer(document: JsonObject, headers: Headers): ApiAnswer {
  if (!(header(headers, "accept") ?? "").includes("protobuf")) {
    return { status: 200, headers: { "content-type": JSON_TYPE }, body: { type: "json", value: document, as: JSON_TYPE } };
  }
  const { etag, bytes } = encodedOnce(document);
  const tags = { etag, vary: "Accept", "last-modified": new Date(0).toUTCString() };
  if (header(headers, "if-none-match") === etag) return { status: 304, headers: tags, body: { type: "none" } };
  return { status: 200, headers: { ...tags, "content-type": PROTOBUF_TYPE }, body: { type: "bytes", bytes } };
}

function encodedOnce(document: JsonObject): Encoded {
  let encoded = encodings.get(document);
  if (encoded === undefined) {
    const bytes = swaggerBytes(document);
    encoded = { bytes, etag: `"${createHash("sha256").update(bytes).digest("hex").toUpperCase()}"` };
    encodings.set(document, encoded);
  }
  return encoded;
}

/**
 * An OpenAPI v2 document as clients written in Go ask for it: protobuf, in the messages of gnostic. Field numbers are
 * those of its openapi_v2 package; paths are not among what those clients need.
 */
function swaggerBytes({ swagger, info, definitions }: JsonObject): Uint8Array {
  const { title, version } = info as JsonObject;
  return message([
    [1, swagger],
    [
      2,
      message([
        [1, title],
        [2, version],
      ]),
    ],
    [8, message([])],
    [9, named(definitions as JsonObject)],
  ]);
}

type Value = Json | Uint8Array | undefined;
type Field = readonly [number: number, value: Value | readonly Uint8Array[]];

const SCHEMA: Readonly<Record<string, number>> = {
  $ref: 1,
  format: 2,
  title: 3,
  description: 4,
  multipleOf: 6,
  maximum: 7,
  exclusiveMaximum: 8,
  minimum: 9,
  exclusiveMinimum: 10,
  maxLength: 11,
  minLength: 12,
  pattern: 13,
  maxItems: 14,
  minItems: 15,
  uniqueItems: 16,
  maxProperties: 17,
  minProperties: 18,
};
const DOUBLES = new Set(["multipleOf", "maximum", "minimum"]);

function schema(of: JsonObject): Uint8Array {
  const fields: Field[] = [];
  for (const [key, value] of Object.entries(of)) {
    const number = SCHEMA[key];
    if (number !== undefined) fields.push([number, DOUBLES.has(key) ? double(Number(value)) : value]);
    else fields.push(...composite(key, value!));
  }
  return message(fields);
}

function composite(key: string, value: Json): readonly Field[] {
  switch (key) {
    case "required":
      return (value as readonly string[]).map((name) => [19, name] as const);
    case "enum":
      return [[20, (value as readonly Json[]).map(any)]];
    case "additionalProperties":
      return [[21, message([isObject(value) ? [1, schema(value)] : [2, value]])]];
    case "type":
      return [[22, message([[1, value]])]];
    case "items":
      return [[23, message([[1, schema(value as JsonObject)]])]];
    case "properties":
      return [[25, named(value as JsonObject)]];
    default:
      return key.startsWith("x-")
        ? [
            [
              31,
              message([
                [1, key],
                [2, any(value)],
              ]),
            ],
          ]
        : [];
  }
}

function named(schemas: JsonObject): Uint8Array {
  const entries = Object.entries(schemas).map(([name, of]) =>
    message([
      [1, name],
      [2, schema(of as JsonObject)],
    ]),
  );
  return message([[1, entries]]);
}

/** Values of any type travel as YAML, which JSON is. */
const any = (value: Json) => message([[2, JSON.stringify(value)]]);

function message(fields: readonly Field[]): Uint8Array {
  return Buffer.concat(
    fields.flatMap(([number, value]) => (isList(value) ? value.flatMap((each) => encoded(number, each)) : encoded(number, value))),
  );
}

const isList = (value: Field[1]): value is readonly Uint8Array[] => Array.isArray(value);

function encoded(number: number, value: Value): readonly Uint8Array[] {
  if (value instanceof Double) return [varint((number << 3) | 1), value];
  if (typeof value === "boolean") return value ? [varint(number << 3), varint(1)] : [];
  if (typeof value === "number" || typeof value === "bigint") return [varint(number << 3), varint(Number(value))];
  const bytes = typeof value === "string" ? Buffer.from(value) : (value as Uint8Array);
  return [varint((number << 3) | 2), varint(bytes.length), bytes];
}

/** Eight bytes that are a value, not a message. */
class Double extends Uint8Array {}

function double(value: number): Double {
  const bytes = new Double(8);
  new DataView(bytes.buffer).setFloat64(0, value, true);
  return bytes;
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  return Uint8Array.from([...bytes, rest]);
}
