/**
 * Trace files: a recording as one file that anyone can open.
 *
 * In: the facts of a flight recorder, and the commits of an embedded cluster. Out: NAME.pintle-trace, a zip of NDJSON, and the same as a value.
 * `trace-file.ts` says what is in it, `write-trace.ts` and `read-trace.ts` convert it, `check-trace.ts` proves that a file is whole and holds no
 * secret. A file comes from anywhere: reading trusts nothing in it, and throws one sentence. Objects are without secrets before they get here.
 */
export { checkTrace, type TraceProblem } from "./check-trace.ts";
export { collectOperatorTrace, type OperatorTraceOptions } from "./collect-operator-trace.ts";
export { collectStoreTrace, type StoreTraceOptions } from "./collect-store-trace.ts";
export { parseTrace, readTrace } from "./read-trace.ts";
export {
  TRACE_VERSION,
  type Trace,
  type TraceAbout,
  type TraceBaseObject,
  type TraceCommit,
  type TraceManifest,
} from "./trace-file.ts";
export { encodeTrace, type TraceContent, writeTrace } from "./write-trace.ts";
