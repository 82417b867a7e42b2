/**
 * Bodies: JSON, YAML and Kubernetes' protobuf. Of requests, in come bytes or text, out go JSON values (integers beyond
 * 2^53 as bigint) and what strict decoding has to say about the text; a body that cannot be read throws BodyError with
 * the words of Kubernetes' own decoders. Of answers, in come JSON values, out go text or the bytes that Go would write.
 */
export { BodyError } from "./body-error.ts";
/** How Go's structs become JSON, as text; the format is described in generator/cluster/protobuf of the package pintle. */
export { protobuf } from "./generated/protobuf.ts";
export { type Decoded, decodeJson } from "./json/decode.ts";
export { jsonText } from "./json/text.ts";
export { decodeProtobuf, type ProtobufBody } from "./protobuf/decode.ts";
export { encodeProtobuf, encodeProtobufList, encodeWatchEvent, hasProtobuf } from "./protobuf/encode.ts";
export { recent } from "./recent.ts";
export { decodeYaml } from "./yaml.ts";
