/**
 * Request bodies: JSON, YAML and Kubernetes' protobuf. In come bytes or text, out go JSON values (integers beyond
 * 2^53 as bigint) and what strict decoding has to say about the text. A body that cannot be read throws BodyError
 * with the words of Kubernetes' own decoders. Answers are always JSON, which every client accepts.
 */
export { BodyError } from "./body-error.ts";
/** How Go's structs become JSON, as text; the format is described in generator/cluster/protobuf of the package pintle. */
export { protobuf } from "./generated/protobuf.ts";
export { type Decoded, decodeJson } from "./json/decode.ts";
export { jsonText } from "./json/text.ts";
export { decodeProtobuf, type ProtobufBody } from "./protobuf/decode.ts";
export { decodeYaml } from "./yaml.ts";
