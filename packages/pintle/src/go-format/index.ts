/**
 * Values formatted as Go's `fmt`, `strconv` and `encoding/json` format them, and durations parsed as its `time` parses them. The messages of
 * the API server contain such values, and the embedded cluster reproduces them byte by byte. Everything here is pure.
 */
export { type ParsedGoDuration, parseGoDuration } from "./go-duration.ts";
export { encodeGoJson, formatGoNumber, formatGoSyntax, formatGoValue, GO_ESCAPES, quoteGoString } from "./go-format.ts";
