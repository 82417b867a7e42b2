/**
 * JSON into Go types: the server decodes metadata and built-in kinds into structs, so that is where wrong types and
 * unknown fields are found and in whose words they are reported. In go JSON values and type descriptions, out come
 * values in stored form, the paths of unknown fields, or a DecodeError.
 */
export { DecodeError, jsonKind, Mismatch } from "./decode-error.ts";
export { formatSeconds, type Instant, parseTime } from "./go-time.ts";
export { objectMeta } from "./object-meta.ts";
