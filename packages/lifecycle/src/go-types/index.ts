/**
 * Values of Go types. Programs of the operator framework read manifests into Go structs and write them again, which drops unknown fields and adds
 * zero values; names of objects contain a hash of the result. `generated.ts` has the structs, written from the real types.
 *
 * In: JSON values. Out: the values that a struct keeps, and the JSON that Go writes for them, with the fields in Go's order. Pure.
 */
export { foldFieldNames } from "./fold-field-names.ts";
export { fromUnstructured } from "./from-unstructured.ts";
export { decodeGo, type GoType } from "./json-decode.ts";
export { encodeGoStruct, toGoJson } from "./to-json.ts";
