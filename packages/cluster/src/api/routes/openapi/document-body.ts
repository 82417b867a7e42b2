import { isJsonObject, stringifyJson } from "pintle/internal/json";
import { memoize } from "pintle/internal/memoize";
import type { JsonObject } from "pintle/kinds";
import { eventLoopTurns, yieldInTurns } from "../../../turns/index.ts";
import { JSON_TYPE } from "../../encoding/negotiate.ts";
import type { ObjectBody } from "../../request/api-request.ts";

/** Builds the body with an OpenAPI document, which is encoded once, and in turns: it has megabytes. */
export const buildDocumentBody = memoize(async (document: JsonObject): Promise<ObjectBody> => {
  const parts: string[] = [];
  for await (const part of yieldInTurns(stringifyParts(document, SECTION_LEVELS), eventLoopTurns.begin())) parts.push(part);
  const bytes = Buffer.from(`${parts.join("")}\n`);
  return { type: "json", value: document, mediaType: JSON_TYPE, encoded: { metadata: {}, json: () => bytes } };
});

/** `paths` and `definitions` of OpenAPI v2, and `components.schemas` of v3, have their many entries on these levels. */
const SECTION_LEVELS = 2;

/** Yields JSON text in parts: an entry at a time on the outer levels. */
function* stringifyParts(object: JsonObject, levels: number): Generator<string> {
  let separator = "{";
  for (const [field, value] of Object.entries(object)) {
    if (value === undefined) continue;
    yield `${separator}${JSON.stringify(field)}:`;
    separator = ",";
    if (levels > 0 && isJsonObject(value)) yield* stringifyParts(value as JsonObject, levels - 1);
    else yield stringifyJson(value);
  }
  yield separator === "{" ? "{}" : "}";
}
