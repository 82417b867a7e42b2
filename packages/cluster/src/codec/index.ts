/**
 * Codecs for JSON, YAML and Kubernetes' protobuf. Request bodies: bytes or text come in; JSON values (integers beyond 2^53 as bigint) and
 * strict decoding errors go out; an undecodable body throws `BodyDecodeError` with the text of Kubernetes' own decoders. Response bodies:
 * JSON values come in; text or bytes as Go would encode them go out.
 */
export { BodyDecodeError, TooManyValuesError } from "./body-error.ts";
export { type DecodedText, decodeJson } from "./json/decode.ts";
export { MAX_STRICT_ERRORS, visitJsonFields } from "./json/exact-parser.ts";
export { decodeProtobuf, type ExpectedMessage, type ProtobufBody } from "./protobuf/decode.ts";
export { encodeProtobuf, encodeWatchEvent, hasProtobufEncoding, ProtobufList } from "./protobuf/encode.ts";
/** Table of protobuf messages and their JSON fields; the format is described in generator/cluster/protobuf of the package pintle. */
export { getMessageTable, type MessageTable } from "./protobuf/message-descriptors.ts";
export { encodeVarint } from "./protobuf/wire-writer.ts";
export { createRecencyCache } from "./recency-cache.ts";
export { decodeYaml } from "./yaml.ts";
export { encodeYaml, LazyList } from "./yaml-encode.ts";
