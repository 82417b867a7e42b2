/** Runs work inside a span; without an SDK, just runs it. */
type Trace = <T>(name: string, attributes: Readonly<Record<string, string | number>>, work: () => Promise<T>) => Promise<T>;

/** The part of an OpenTelemetry tracer that is used. */
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

/** Where version 1 of the OpenTelemetry API keeps what a program registered, so that all copies of it share that. */
const API = Symbol.for("opentelemetry.js.api.1");

/**
 * Spans for whatever OpenTelemetry SDK the program has registered, also after this; none without. The API is not imported:
 * it need not be installed, nor be found from here.
 */
export const tracing: Trace = (name, attributes, work) => {
  const tracer = registered();
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

function registered(): Tracer | undefined {
  const api = (globalThis as { [API]?: { readonly trace?: { getTracer(name: string): Tracer } } })[API];
  return api?.trace?.getTracer("pintle");
}
