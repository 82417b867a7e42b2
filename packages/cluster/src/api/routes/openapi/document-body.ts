import { stringifyJson } from "pintle/internal/json";
import { memoize } from "pintle/internal/memoize";
import type { JsonObject } from "pintle/kinds";
import { JSON_TYPE } from "../../encoding/negotiate.ts";
import type { ObjectBody } from "../../request/api-request.ts";

/** Builds the body with an OpenAPI document, which is encoded once: it has megabytes. */
export const buildDocumentBody = memoize((document: JsonObject): ObjectBody => {
  let bytes: Uint8Array | undefined;
  const json = (): Uint8Array => {
    bytes ??= Buffer.from(`${stringifyJson(document)}\n`);
    return bytes;
  };
  return { type: "json", value: document, mediaType: JSON_TYPE, encoded: { metadata: {}, json } };
});
