/**
 * The facts of a recording, joined for the page. In: facts as they are recorded. Out: rows for the stream, and lookups by run, request, revision and object.
 */

export { createFactIndex, type FactIndex, type RequestFacts } from "./fact-index.ts";
export { createFactRow, describeCause, describeDrop, requestPath } from "./fact-row.ts";
export { parseRefusal, type Refusal } from "./parse-refusal.ts";
