/** Runs work inside a span; without an SDK, just runs it. */
export type Trace = <T>(name: string, attributes: Readonly<Record<string, string | number>>, work: () => Promise<T>) => Promise<T>;

export const untraced: Trace = (_name, _attributes, work) => work();

/** The part of `@opentelemetry/api` that is used. */
export interface TracingApi {
  readonly trace: {
    getTracer(name: string): {
      startActiveSpan<T>(name: string, options: { readonly attributes: object }, work: (span: Span) => Promise<T>): Promise<T>;
    };
  };
}
interface Span {
  recordException(error: Error): void;
  setStatus(status: { readonly code: number; readonly message?: string }): void;
  end(): void;
}
/** SpanStatusCode.ERROR */
const ERROR = 2;

/** Spans through the OpenTelemetry API, whose own no-op stands in until a program registers an SDK. */
export function traced(api: TracingApi): Trace {
  const tracer = api.trace.getTracer("pintle");
  return (name, attributes, work) =>
    tracer.startActiveSpan(name, { attributes }, async (span) => {
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
}

/** With the API where the program has it installed, else without. */
export async function tracing(load: (name: string) => Promise<unknown> = (name) => import(name)): Promise<Trace> {
  try {
    return traced((await load("@opentelemetry/api")) as TracingApi);
  } catch {
    return untraced;
  }
}
