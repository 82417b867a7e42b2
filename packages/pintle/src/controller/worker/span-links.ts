import type { RunCause } from "../../recorder/index.ts";
import type { SpanContext, SpanLink } from "../../telemetry/index.ts";

/** Which span is the cause of which: by runs, and by the object versions that runs wrote. */
export interface SpanLinks {
  recordRun(run: string, span: SpanContext): void;
  /** Returns the spans of the runs that are among the causes, or wrote the versions that are. */
  linksOf(causes: readonly RunCause[]): readonly SpanLink[];
  recordWrite(run: string, uid: string, resourceVersion: string | undefined): void;
}

/** Spans that are remembered; older ones are no causes any more. */
const MAX_SPANS = 10_000;

export function createSpanLinks(): SpanLinks {
  const spans = new Map<string, SpanContext>();
  const remember = (id: string, span: SpanContext) => {
    spans.set(id, span);
    if (spans.size > MAX_SPANS) for (const oldest of [...spans.keys()].slice(0, MAX_SPANS / 2)) spans.delete(oldest);
  };
  return {
    recordRun: remember,
    recordWrite(run, uid, resourceVersion) {
      const span = spans.get(run);
      if (span !== undefined) remember(`${uid} ${resourceVersion ?? "deleted"}`, span);
    },
    linksOf: (causes) =>
      causes.flatMap(({ event, object, run }) => {
        const context =
          run === undefined
            ? object && spans.get(`${object.uid} ${event === "deleted" ? "deleted" : object.resourceVersion}`)
            : spans.get(run);
        const what =
          object === undefined
            ? event
            : `${event} ${object.kind} ${object.namespace === undefined ? "" : `${object.namespace}/`}${object.name}`;
        return context === undefined ? [] : [{ context, attributes: { "pintle.cause": what } }];
      }),
  };
}
