import type { JsonObject } from "pintle/kinds";

/** Where the OpenAPI documents come from. */
export interface OpenApi {
  /** "api/v1", "apis/apps/v1", each with a hash that changes with its document. */
  index(): Promise<ReadonlyMap<string, string>>;
  /** Undefined for a path that is not in the index. */
  document(path: string): Promise<unknown>;
  /** The schemas of all kinds in one document of OpenAPI v2, for clients that know no other; the same value until they change. */
  swagger(): Promise<JsonObject>;
}
