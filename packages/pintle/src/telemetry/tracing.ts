/** The identity of a span. */
export interface SpanContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  readonly traceFlags: number;
}

/** A span that is a cause of another one. */
export interface SpanLink {
  readonly context: SpanContext;
  readonly attributes?: Attributes | undefined;
}

type Attributes = Readonly<Record<string, string | number>>;

/** How a span is started. */
export interface SpanOptions {
  readonly attributes?: Attributes | undefined;
  readonly links?: readonly SpanLink[] | undefined;
  /** "client": it sends a request. "server": it answers one. Default: neither. */
  readonly kind?: "client" | "server" | undefined;
  /** The span of another process that is its parent. Default: the active span. */
  readonly parent?: SpanContext | undefined;
}

/** The used part of the OpenTelemetry API, version 1. */
interface Api {
  readonly trace?: { getTracer(name: string): Tracer };
  readonly context?: { active(): Context; with<T>(context: Context, work: () => T): T };
}
interface Context {
  getValue(key: symbol): unknown;
  setValue(key: symbol, value: unknown): Context;
}
interface Tracer {
  startActiveSpan<T>(name: string, options: object, work: (span: Span) => T): T;
}
interface Span {
  spanContext(): SpanContext;
  setAttribute(name: string, value: string | number): void;
  recordException(error: Error): void;
  setStatus(status: { readonly code: number; readonly message?: string }): void;
  end(): void;
}
/** SpanStatusCode.ERROR */
const ERROR = 2;
/** SpanKind */
const KINDS = { server: 1, client: 2 } as const;

/** The key of version 1 of the OpenTelemetry API on `globalThis`, shared by all copies of it. */
const API = Symbol.for("opentelemetry.js.api.1");
const SPAN_KEY = Symbol.for("OpenTelemetry Context Key SPAN");

const findApi = (): Api | undefined => (globalThis as { [API]?: Api })[API];

/** Whether the program has registered an OpenTelemetry SDK. */
export const isTracing = (): boolean => findApi()?.trace !== undefined;

/** Runs work inside a span of the OpenTelemetry SDK that the program has registered, at any time; without one, just runs it. */
export function traceSpan<T>(name: string, options: SpanOptions, work: (span: SpanContext | undefined) => Promise<T>): Promise<T> {
  const api = findApi();
  const tracer = api?.trace?.getTracer("pintle");
  if (api === undefined || tracer === undefined) return work(undefined);
  const { attributes = {}, links = [], kind, parent } = options;
  const start = () =>
    tracer.startActiveSpan(name, { attributes, links, ...(kind === undefined ? {} : { kind: KINDS[kind] }) }, async (span) => {
      try {
        return await work(span.spanContext?.());
      } catch (error) {
        const failure = error instanceof Error ? error : new Error(String(error));
        span.recordException(failure);
        span.setStatus({ code: ERROR, message: failure.message });
        throw error;
      } finally {
        span.end();
      }
    });
  const { context } = api;
  if (parent === undefined || context === undefined) return start();
  const remote = { spanContext: () => ({ ...parent, isRemote: true }) };
  return context.with(context.active().setValue(SPAN_KEY, remote), start);
}

/** Returns the span in which the code runs; undefined without an SDK, and outside of spans. */
export function getActiveSpan(): SpanContext | undefined {
  const span = findApi()?.context?.active().getValue(SPAN_KEY) as Span | undefined;
  return span?.spanContext();
}

/** Sets an attribute of the active span, if there is one. */
export function setSpanAttribute(name: string, value: string | number): void {
  (findApi()?.context?.active().getValue(SPAN_KEY) as Partial<Span> | undefined)?.setAttribute?.(name, value);
}

/** Formats the `traceparent` header of W3C Trace Context. */
export const formatTraceparent = ({ traceId, spanId, traceFlags }: SpanContext): string =>
  `00-${traceId}-${spanId}-${(traceFlags & 0xff).toString(16).padStart(2, "0")}`;

/** Parses a `traceparent` header; undefined if it is not valid. */
export function parseTraceparent(header: unknown): SpanContext | undefined {
  const [, version, traceId = "", spanId = "", flags = ""] =
    typeof header === "string" ? (/^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/.exec(header) ?? []) : [];
  if (version === undefined || version === "ff" || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) };
}

/** A logger, as far as it is correlated. */
interface Correlated<L> {
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
  with(fields: Readonly<Record<string, unknown>>): L;
}

/** Returns a logger that adds `trace_id` and `span_id` to lines that are logged inside a span. */
export function correlateLogs<L extends Correlated<L>>(logger: L): L {
  const write = (level: "debug" | "info" | "warn" | "error") => (message: string, fields?: Readonly<Record<string, unknown>>) => {
    const span = getActiveSpan();
    if (span === undefined) logger[level](message, fields);
    else logger[level](message, { ...fields, trace_id: span.traceId, span_id: span.spanId });
  };
  return {
    ...logger,
    debug: write("debug"),
    info: write("info"),
    warn: write("warn"),
    error: write("error"),
    with: (fields: Readonly<Record<string, unknown>>) => correlateLogs(logger.with(fields)),
  };
}
