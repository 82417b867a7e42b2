import type { CommitFact, Fact } from "pintle";
import type { JsonObject } from "pintle/kinds";
import { selectFacts } from "./collect-store-trace.ts";
import type { TraceCommit } from "./trace-file.ts";
import type { TraceContent } from "./write-trace.ts";

export interface OperatorTraceOptions {
  /** The facts of an operator's recorder, already without secrets. */
  readonly facts: readonly Fact[];
  /** Facts before this sequence are left out, except objects that later passes read. */
  readonly since: number;
  /** How many facts were lost before they could be read. */
  readonly dropped: number;
  /** Time of the recorder's clock, in milliseconds since 1970. */
  readonly time: number;
  /** Remarks about the recording, for example how it ended. Default: none. */
  readonly output?: string | undefined;
}

/**
 * Collects the trace of an operator whose API server is not recorded: the commits are the versions that its watches saw, with the values that its passes
 * read.
 */
export function collectOperatorTrace({ facts, since, dropped, time, output = "" }: OperatorTraceOptions): TraceContent {
  const selected = selectFacts(facts, since);
  const objects = new Map<string, JsonObject>();
  for (const fact of facts) {
    if (fact.type !== "object") continue;
    const { uid, resourceVersion } = fact.object["metadata"] as JsonObject;
    objects.set(`${uid} ${resourceVersion}`, fact.object);
  }
  const seen = new Set<number>();
  const commits = selected
    .filter((fact): fact is CommitFact => fact.type === "commit" && Number.isSafeInteger(fact.revision))
    .sort((a, b) => a.revision - b.revision)
    .flatMap(({ revision, time: at, operation, key, uid }): TraceCommit[] => {
      if (seen.has(revision)) return [];
      seen.add(revision);
      const object = operation === "put" ? objects.get(`${uid} ${revision}`) : undefined;
      const commit = { revision, time: at, operation, key, uid };
      return [object === undefined ? commit : { ...commit, object }];
    });
  return { time, dropped, about: { source: "operator" }, facts: selected, base: [], commits, schemas: {}, sources: {}, output };
}
