import type { Trace } from "@pintle/cluster";
import {
  type Capability,
  type ClusterState,
  type ConsoleSource,
  createStateFromFacts,
  gone,
  invalid,
  type ReplayResult,
  type SourceFile,
  type StoredCommit,
  type StoredObject,
} from "@pintle/console/internal/source";
import type { Fact } from "pintle";
import { formatYaml } from "./format-yaml.ts";

export interface TraceSourceOptions {
  readonly file: string;
  readonly replay?: ((facts: readonly Fact[], run: string, signal: AbortSignal) => Promise<ReplayResult>) | undefined;
}

/** The console of a trace file: everything that is in it, and nothing can be written. */
export function createTraceSource(trace: Trace, { file, replay }: TraceSourceOptions): ConsoleSource {
  const { manifest, facts } = trace;
  const last = facts.at(-1)?.sequence ?? 0;
  const times = new Map(trace.commits.map(({ revision, time }) => [revision, time]));
  for (const fact of facts) if (fact.type === "commit" && !times.has(fact.revision)) times.set(fact.revision, fact.time);
  const revisions = [...times.keys()].sort((a, b) => a - b);
  const isObserved = manifest.about.source === "operator";
  const latest = isObserved ? createStateFromFacts(facts) : replayCommits(trace, Number.POSITIVE_INFINITY);
  const states = new Map<number, ClusterState>();
  const sources = Object.entries(trace.sources).map(([name, text]): SourceFile => ({ file: name, text }));
  const can: readonly Capability[] = replay === undefined ? ["history"] : ["history", "replay"];
  const { source, test } = manifest.about;
  return {
    mode: "trace",
    name: file,
    cluster: "trace",
    can,
    readOnlyReason: "A trace file cannot be changed.",
    virtualClock: false,
    now: () => manifest.time,
    recording: {
      id: manifest.files["facts.ndjson"]?.sha256.slice(0, 8) ?? "0",
      facts: () => facts,
      sequence: last,
      dropped: manifest.dropped,
      generation: 0,
      subscribe: () => () => {},
    },
    state(at) {
      if (at === undefined || at === latest.revision) return latest;
      if (at > latest.revision) throw invalid(`r${at} is after the end of the trace: its last revision is r${latest.revision}.`);
      if (at < latest.oldestRevision) throw gone(at, latest.oldestRevision);
      const state = states.get(at) ?? (isObserved ? createStateFromFacts(facts, at) : replayCommits(trace, at));
      if (states.size > 8) states.clear();
      states.set(at, state);
      return state;
    },
    timeOf(revision) {
      const exact = times.get(revision);
      if (exact !== undefined) return exact;
      let [low, high] = [0, revisions.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (revisions[middle]! <= revision) low = middle + 1;
        else high = middle;
      }
      return low === 0 ? undefined : times.get(revisions[low - 1]!);
    },
    redact: (_, object) => object,
    sources: () => sources,
    toYaml: formatYaml,
    samples: [],
    trace: {
      file,
      source,
      written: manifest.time,
      test,
      revision: latest.revision === 0 ? undefined : latest.revision,
      output: trace.output,
    },
    actions: replay === undefined ? {} : { replay: (run, signal) => replay(facts, run, signal) },
  };
}

/** The objects of a trace at a revision: its base and the commits after it. */
function replayCommits({ base, commits, manifest }: Trace, at: number): ClusterState {
  const entries = new Map<string, StoredObject>(base.map(({ key, revision, object }) => [key, { revision, value: object }]));
  const history: StoredCommit[] = [];
  let revision = manifest.revision ?? commits[0]?.revision ?? 0;
  for (const commit of commits) {
    if (commit.revision > at) break;
    revision = commit.revision;
    const previous = entries.get(commit.key);
    const value = commit.object ?? previous?.value ?? {};
    history.push({ type: commit.operation, key: commit.key, revision, value, previous });
    if (commit.operation === "delete") entries.delete(commit.key);
    else entries.set(commit.key, { revision, value });
  }
  return { revision, oldestRevision: manifest.revision ?? commits[0]?.revision ?? 0, entries, history };
}
