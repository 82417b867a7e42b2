/**
 * Spans of OpenTelemetry: one per reconcile with links to its causes, one per request below it, and one per webhook review.
 *
 * In: the SDK that the program has registered, if any. Out: spans, and the `traceparent` header by which the API server and webhooks join the same
 * trace. The API is not imported: it does not have to be installed, and without an SDK every function only calls its work.
 */
export {
  correlateLogs,
  formatTraceparent,
  getActiveSpan,
  isTracing,
  parseTraceparent,
  type SpanContext,
  type SpanLink,
  type SpanOptions,
  setSpanAttribute,
  traceSpan,
} from "./tracing.ts";
