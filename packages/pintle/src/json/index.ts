/**
 * JSON values: their types, helpers that are safe for any key, and parsing and writing without loss of large integers.
 *
 * In: bytes and values. Out: values in which integers beyond 2^53 are `bigint`, and the text of such values. Imports nothing.
 */
export { type DeepReadonly, extendObject, isJsonObject, type Json, type JsonObject, setOwnProperty } from "./json.ts";
export { parseJson, stringifyJson } from "./lossless-json.ts";
