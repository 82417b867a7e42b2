/** Runs work inside a span. */
type TraceFunction = <T>(name: string, attributes: Readonly<Record<string, string | number>>, work: () => Promise<T>) => Promise<T>;

/** The used part of an OpenTelemetry tracer. */
interface Tracer {
  startActiveSpan<T>(name: string, options: { readonly attributes: object }, work: (span: Span) => Promise<T>): Promise<T>;
}
interface Span {
  recordException(error: Error): void;
  setStatus(status: { readonly code: number; readonly message?: string }): void;
  end(): void;
}
/** SpanStatusCode.ERROR */
const ERROR = 2;

/** The key of version 1 of the OpenTelemetry API on `globalThis`, shared by all copies of it. */
const API = Symbol.for("opentelemetry.js.api.1");

/**
 * Runs work inside a span of the OpenTelemetry SDK that the program has registered, at any time; without one, just runs it. The API is not imported:
 * it does not have to be installed.
 */
export const traceSpan: TraceFunction = (name, attributes, work) => {
  const tracer = findTracer();
  if (tracer === undefined) return work();
  return tracer.startActiveSpan(name, { attributes }, async (span) => {
    try {
      return await work();
    } catch (error) {
      const failure = error instanceof Error ? error : new Error(String(error));
      span.recordException(failure);
      span.setStatus({ code: ERROR, message: failure.message });
      throw error;
    } finally {
      span.end();
    }
  });
};

function findTracer(): Tracer | undefined {
  const api = (globalThis as { [API]?: { readonly trace?: { getTracer(name: string): Tracer } } })[API];
  return api?.trace?.getTracer("pintle");
}
