/** Where the OpenAPI v3 documents come from. */
export interface OpenApi {
  /** "api/v1", "apis/apps/v1", each with a hash that changes with its document. */
  index(): Promise<ReadonlyMap<string, string>>;
  /** Undefined for a path that is not in the index. */
  document(path: string): Promise<unknown>;
}

/**
 * The smallest /openapi/v2 there is: a protobuf Document with swagger "2.0", an info, and nothing in it. kubectl asks
 * for it before it looks at v3; the real schemas are there.
 */
export const OPENAPI_V2 = Uint8Array.from([
  0x0a, 0x03, 0x32, 0x2e, 0x30, 0x12, 0x15, 0x0a, 0x0a, 0x4b, 0x75, 0x62, 0x65, 0x72, 0x6e, 0x65, 0x74, 0x65, 0x73, 0x12, 0x07, 0x76, 0x31,
  0x2e, 0x33, 0x36, 0x2e, 0x33, 0x42, 0x00, 0x4a, 0x00,
]);
/** With dots: Go's mime parser refuses the `@` that clients ask with. */
export const OPENAPI_V2_TYPE = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
