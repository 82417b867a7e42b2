import type {
  BuildFact,
  CommitFact,
  DropFact,
  EnqueueFact,
  Fact,
  FaultFact,
  LogFact,
  PlanFact,
  RequestFact,
  RunCause,
  RunFact,
  WatchFact,
  WebhookFact,
} from "pintle";
import { runIdOfAuditId } from "pintle/internal/recorder";
import { createKindNames, type KindNames } from "../objects/index.ts";
import type { FactRow, ObjectPath } from "../protocol.ts";
import type { ConsoleRecording } from "../source/index.ts";
import { createFactRow } from "./fact-row.ts";

/** The two sides of a request. */
export interface RequestFacts {
  readonly id: string;
  readonly client?: RequestFact | undefined;
  readonly server?: RequestFact | undefined;
}

/** The facts of a recording, joined; grows as facts are recorded. */
export interface FactIndex extends Disposable {
  readonly names: KindNames;
  readonly rows: readonly FactRow[];
  /** All facts but values of objects, in order. */
  readonly facts: readonly Exclude<Fact, { readonly type: "object" }>[];
  readonly runs: ReadonlyMap<string, RunFact>;
  /** Failures of the same key in a row, up to and with a run that failed. */
  readonly failures: ReadonlyMap<string, number>;
  /** By run: when the backoff ends that followed it. */
  readonly backoffEnds: ReadonlyMap<string, number>;
  readonly plans: ReadonlyMap<string, readonly PlanFact[]>;
  readonly requests: ReadonlyMap<string, RequestFacts>;
  readonly requestsOfRun: ReadonlyMap<string, readonly string[]>;
  /** In order of revisions. */
  readonly commits: readonly CommitFact[];
  readonly commitOf: ReadonlyMap<number, CommitFact>;
  readonly commitsOfRequest: ReadonlyMap<string, readonly number[]>;
  readonly commitsOfRun: ReadonlyMap<string, readonly number[]>;
  readonly logsOfRun: ReadonlyMap<string, readonly LogFact[]>;
  readonly webhooksOfRequest: ReadonlyMap<string, readonly WebhookFact[]>;
  readonly drops: readonly DropFact[];
  readonly enqueues: readonly EnqueueFact[];
  readonly watches: readonly WatchFact[];
  readonly builds: readonly BuildFact[];
  readonly faults: readonly FaultFact[];
  /** Controllers of the operator, by their own kind; controllers inside an embedded cluster are not among them. */
  readonly ownControllers: ReadonlyMap<string, string>;
  readonly sequence: number;
  readonly oldestSequence: number;
  /** Called after facts were added. */
  onChange(listener: () => void): () => void;
  /** Reads everything again if a secret has become known since. */
  update(): void;
  /** The last fact that was recorded before the commit after this revision. */
  sequenceAt(revision: number): number;
  pathOfRun(controller: string, key: string): ObjectPath | undefined;
  /** Commits that a cause names, oldest first: all of its merged versions. */
  commitsOfCause(cause: RunCause): readonly CommitFact[];
}

/** Facts that are kept; of more, the oldest tenth goes. */
const MAX_FACTS = 120_000;

export function createFactIndex(recording: ConsoleRecording, maxFacts = MAX_FACTS): FactIndex {
  const names = createKindNames();
  const listeners = new Set<() => void>();
  let data = createTables();
  let generation = recording.generation;

  const context = {
    names,
    pathOfRun: (controller: string, key: string) => {
      const kind = data.kindOfController.get(controller);
      const resource = kind === undefined ? undefined : names.resourceOf(kind);
      if (resource === undefined) return undefined;
      return `${resource}/${key.includes("/") ? key : `-/${key}`}`;
    },
    hasEffect: (run: string) => (data.commitsOfRun.get(run)?.length ?? 0) > 0,
    get build() {
      return data.builds.length;
    },
  };
  const add = (fact: Fact) => {
    data.sequence = Math.max(data.sequence, fact.sequence);
    if (fact.type === "object") return;
    learn(data, names, fact);
    // The recorder adds runs that have not ended only to what is read from it.
    if (fact.type === "run" && fact.result === "running") return;
    data.facts.push(fact);
    const row = createFactRow(fact, context);
    if (row !== undefined) data.rows.push(row);
    if (data.facts.length > maxFacts) data = rebuild(data.facts.slice(Math.floor(maxFacts / 10)), data.sequence);
  };
  function rebuild(facts: readonly Fact[], sequence: number) {
    data = createTables();
    for (const fact of facts) add(fact);
    data.sequence = Math.max(data.sequence, sequence);
    return data;
  }
  rebuild(recording.facts(), 0);
  const unsubscribe = recording.subscribe((fact) => {
    add(fact);
    for (const listener of listeners) listener();
  });
  return {
    names,
    get rows() {
      return data.rows;
    },
    get facts() {
      return data.facts;
    },
    get runs() {
      return data.runs;
    },
    get failures() {
      return data.failures;
    },
    get backoffEnds() {
      return data.backoffEnds;
    },
    get plans() {
      return data.plans;
    },
    get requests() {
      return data.requests;
    },
    get requestsOfRun() {
      return data.requestsOfRun;
    },
    get commits() {
      return data.commits;
    },
    get commitOf() {
      return data.commitOf;
    },
    get commitsOfRequest() {
      return data.commitsOfRequest;
    },
    get commitsOfRun() {
      return data.commitsOfRun;
    },
    get logsOfRun() {
      return data.logsOfRun;
    },
    get webhooksOfRequest() {
      return data.webhooksOfRequest;
    },
    get drops() {
      return data.drops;
    },
    get enqueues() {
      return data.enqueues;
    },
    get watches() {
      return data.watches;
    },
    get builds() {
      return data.builds;
    },
    get faults() {
      return data.faults;
    },
    get ownControllers() {
      return data.ownControllers;
    },
    get sequence() {
      return data.sequence;
    },
    get oldestSequence() {
      return data.facts[0]?.sequence ?? data.sequence + 1;
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    update() {
      if (generation === recording.generation) return;
      generation = recording.generation;
      rebuild(recording.facts(), data.sequence);
    },
    sequenceAt(revision) {
      const { commits } = data;
      let [low, high] = [0, commits.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (commits[middle]!.revision <= revision) low = middle + 1;
        else high = middle;
      }
      const next = commits[low];
      return next === undefined ? Number.POSITIVE_INFINITY : next.sequence - 1;
    },
    pathOfRun: context.pathOfRun,
    commitsOfCause({ event, object, first }) {
      if (object === undefined) return [];
      const deletion = event === "deleted" || object.resourceVersion === undefined ? data.deletions.get(object.uid ?? "") : undefined;
      if (deletion !== undefined) return [deletion];
      const last = Number(object.resourceVersion);
      const from = first === undefined ? last : Number(first);
      const ofObject = data.commitsOfUid.get(object.uid ?? "") ?? [];
      const found = ofObject.filter(({ revision }) => revision >= from && revision <= last);
      const exact = data.commitOf.get(last);
      return found.length > 0 || exact === undefined ? found : [exact];
    },
    [Symbol.dispose]() {
      unsubscribe();
      listeners.clear();
    },
  };
}

function createTables() {
  return {
    sequence: 0,
    rows: [] as FactRow[],
    facts: [] as Exclude<Fact, { readonly type: "object" }>[],
    runs: new Map<string, RunFact>(),
    /** By run, and the present number by controller and key. */
    failures: new Map<string, number>(),
    failing: new Map<string, number>(),
    backoffEnds: new Map<string, number>(),
    plans: new Map<string, PlanFact[]>(),
    requests: new Map<string, RequestFacts>(),
    requestsOfRun: new Map<string, string[]>(),
    commits: [] as CommitFact[],
    commitOf: new Map<number, CommitFact>(),
    commitsOfUid: new Map<string, CommitFact[]>(),
    deletions: new Map<string, CommitFact>(),
    commitsOfRequest: new Map<string, number[]>(),
    commitsOfRun: new Map<string, number[]>(),
    logsOfRun: new Map<string, LogFact[]>(),
    webhooksOfRequest: new Map<string, WebhookFact[]>(),
    drops: [] as DropFact[],
    enqueues: [] as EnqueueFact[],
    watches: [] as WatchFact[],
    builds: [] as BuildFact[],
    faults: [] as FaultFact[],
    /** From what a controller reconciles: its plans, its own kind among causes, its watches. */
    kindOfController: new Map<string, string>(),
    ownControllers: new Map<string, string>(),
  };
}
type Tables = ReturnType<typeof createTables>;

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [value]);
  else known.push(value);
}

function learn(data: Tables, names: KindNames, fact: Exclude<Fact, { readonly type: "object" }>): void {
  switch (fact.type) {
    case "commit": {
      names.learn(fact.key, fact.uid, fact.kind);
      // What the API server recorded is exact; a watch sees the same version later.
      if (data.commitOf.has(fact.revision)) return;
      data.commitOf.set(fact.revision, fact);
      insertCommit(data.commits, fact);
      push(data.commitsOfUid, fact.uid, fact);
      if (fact.operation === "delete") data.deletions.set(fact.uid, fact);
      const run = fact.run ?? (fact.request === undefined ? undefined : runIdOfAuditId(fact.request));
      if (fact.request !== undefined) push(data.commitsOfRequest, fact.request, fact.revision);
      if (run !== undefined) push(data.commitsOfRun, run, fact.revision);
      return;
    }
    case "request": {
      const known = data.requests.get(fact.id);
      data.requests.set(fact.id, { ...known, id: fact.id, [fact.side]: fact });
      const run = known === undefined ? runIdOfAuditId(fact.id) : undefined;
      if (run !== undefined) push(data.requestsOfRun, run, fact.id);
      return;
    }
    case "run":
      data.runs.set(fact.id, fact);
      countFailures(data, fact);
      for (const { source, object } of fact.causes)
        if (source === "object" && object !== undefined) data.kindOfController.set(fact.controller, object.kind);
      return;
    case "enqueue":
      data.enqueues.push(fact);
      if (fact.cause.source === "object" && fact.cause.object !== undefined) {
        names.learnKind(fact.cause.object.kind, fact.cause.object.uid);
        data.kindOfController.set(fact.controller, fact.cause.object.kind);
        data.ownControllers.set(fact.controller, fact.cause.object.kind);
      }
      return;
    case "plan":
      push(data.plans, fact.run, fact);
      names.learnKind(fact.object.kind, fact.object.uid);
      for (const read of fact.reads) names.learnKind(read.kind, read.uid);
      data.kindOfController.set(fact.controller, fact.object.kind);
      return;
    case "drop":
      data.drops.push(fact);
      if (fact.run !== undefined && fact.until !== undefined) data.backoffEnds.set(fact.run, fact.until);
      return;
    case "log":
      if (fact.run !== undefined) push(data.logsOfRun, fact.run, fact);
      return;
    case "webhook":
      if (fact.request !== undefined) push(data.webhooksOfRequest, fact.request, fact);
      return;
    case "watch":
      data.watches.push(fact);
      for (const controller of fact.controllers ?? []) {
        data.kindOfController.set(controller, fact.kind);
        data.ownControllers.set(controller, fact.kind);
      }
      return;
    case "build":
      data.builds.push(fact);
      return;
    case "fault":
      data.faults.push(fact);
  }
}

function countFailures({ failing, failures }: Tables, { id, controller, key, result }: RunFact): void {
  // A process that is started again begins with a queue of its own.
  const name = `${id.split("-")[0]} ${controller} ${key}`;
  if (result === "error") {
    const count = (failing.get(name) ?? 0) + 1;
    failing.set(name, count);
    failures.set(id, count);
  } else if (result !== "running") failing.delete(name);
}

/** Commits arrive nearly in order: facts of another process come later. */
function insertCommit(commits: CommitFact[], commit: CommitFact): void {
  let at = commits.length;
  while (at > 0 && commits[at - 1]!.revision > commit.revision) at--;
  commits.splice(at, 0, commit);
}
