import type { JsonObject } from "pintle/kinds";

/** Provides the OpenAPI documents. */
export interface OpenApiSource {
  /** Paths ("api/v1", "apis/apps/v1") with a hash of each document. */
  index(): Promise<ReadonlyMap<string, string>>;
  /** Returns undefined for an unknown path. */
  document(path: string): Promise<unknown>;
  /** Returns all schemas as one OpenAPI v2 document; the same value until they change. */
  swagger(): Promise<JsonObject>;
}
