/**
 * Decoding of JSON into Go types. kube-apiserver decodes metadata and built-in kinds into structs, so type errors and
 * unknown fields are reported as Go does. Takes JSON values; returns values in stored form and the paths of unknown
 * fields, or throws `DecodeError`.
 */
export { DecodeError, getJsonTypeName, TypeMismatchError } from "./decode-error.ts";
export { formatUnixSeconds, type Instant, parseMicroTime, parseTime } from "./go-time.ts";
export { objectMetaDecoder } from "./object-meta.ts";
export { getZoneOffset, isTimeZone, toFixedOffset } from "./time-zone.ts";
