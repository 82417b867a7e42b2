import { type Clock, type Random, systemClock } from "../clock/index.ts";
import { type JsonObject, parseJson, stringifyJson } from "../json/index.ts";
import type { CommitFact, Fact, NewFact, ObjectIdentity, RunFact, WatchFact } from "./facts.ts";
import { redactFact } from "./redact-fact.ts";
import { createRedactor, type Redactor } from "./redactor.ts";
import type { RecordedRun } from "./run-recorder.ts";
import { sensitiveFieldsOfKind } from "./sensitive-fields.ts";

/** Options of `createFlightRecorder`. */
export interface FlightRecorderOptions {
  /** How many bytes of facts are kept; older facts are dropped. Default: 64 MiB. */
  readonly maxBytes?: number | undefined;
  /** Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** Source of the process id. Default: `Math.random`. */
  readonly random?: Random | undefined;
  /** Receives every fact as a JSON line, as soon as it is recorded. Default: none. */
  readonly onFact?: ((line: string) => void) | undefined;
  /**
   * Whether the commits of the API server are recorded, too, as an embedded cluster does. Otherwise the versions that watches see are recorded in their
   * place, from which the causes of what other controllers write are inferred. Default: false.
   */
  readonly hasServerCommits?: boolean | undefined;
  /** A recording that this one continues, such as that of the cluster that was forked. Default: none. */
  readonly earlier?: FlightRecorder | undefined;
  /** The key of the hashes of secrets: that of the recording to which the facts are added. Default: that of `earlier`, or a random one. */
  readonly hashKey?: Uint8Array | undefined;
}

/** A kind, as far as a recorder reads it. */
export interface RecordedKind {
  readonly id: string;
  readonly version: string;
  readonly kind: string;
}

/**
 * Records facts about controllers, in memory, without the values of secrets. Pass it to `run({ recorder })` or `startManager({ recorder })`; an embedded
 * cluster that is started with `recorder: true` has its own as `cluster.recorder`.
 */
export interface FlightRecorder {
  /** The id of this recording in audit ids: eight hexadecimal digits. */
  readonly processId: string;
  /** Returns the recorded facts, oldest first. Runs that have not ended come last, with the result "running". */
  facts(): readonly Fact[];
  /** Returns the recorded facts as NDJSON. `since`: only those after this sequence. Default: all. */
  text(since?: number): string;
  /** Returns the runs that have not ended. */
  runningRuns(): readonly RunFact[];
  /** Whether commits of the API server are recorded, so that the versions that watches see are not. */
  readonly hasServerCommits: boolean;
  /** The size of the recorded facts in bytes; at most `maxBytes`. That of objects that a pass read is estimated. */
  readonly bytes: number;
  /** The number of the last fact. */
  readonly sequence: number;
  /** How many facts were dropped because of `maxBytes`. */
  readonly dropped: number;
  /** Records a fact, without the values of secrets. The runtime calls it; programs may add facts of their own, for example of another process. */
  record(fact: NewFact): void;
  /** Adds a fact that another recorder wrote as a JSON line. */
  append(line: string): void;
  /** Calls `listener` with every fact that is recorded from now on, as a JSON line. Returns the function that ends it. */
  subscribe(listener: (line: string) => void): () => void;
  /**
   * Records the value of an object version, unless it is recorded already, and returns its identity. Cheap: it is serialized when the recording is read.
   */
  noteObject(kind: RecordedKind, object: object): ObjectIdentity;
  /** Remembers the secrets of an object, so that they are replaced wherever they appear. */
  learn(kind: RecordedKind, object: object): void;
  /** Replaces secrets by hashes. */
  readonly redactor: Redactor;
  /** The time of its clock, in milliseconds since 1970. */
  now(): number;
  /** Returns a new run id. */
  nextRunId(): string;
  /** Registers a run until it ends. */
  track(run: { readonly describe: () => Omit<RunFact, "sequence" | "time"> }): () => void;
  /** Calls `work` in the scope of a run; used by the embedded cluster. Default: `work` is just called. */
  readonly enter?: (<T>(run: RecordedRun, work: () => T) => T) | undefined;
}

/** An object version that is serialized when it is read. */
interface PendingObject {
  readonly sequence: number;
  readonly time: number;
  readonly id: string;
  readonly kind: RecordedKind;
  readonly object: JsonObject;
  readonly bytes: number;
}
type BufferedFact = string | PendingObject;

const DEFAULT_MAX_BYTES = 64 * 1024 * 1024;
const COMPACT_THRESHOLD = 1024;
/** Versions that are known to be recorded; of more, the oldest are recorded again when they are read again. */
const MAX_NOTED = 50_000;

/**
 * Creates a flight recorder.
 *
 * @example
 * ```ts
 * import { type Controller, createFlightRecorder, startManager } from "pintle";
 *
 * export async function record(controllers: readonly Controller[]): Promise<string> {
 *   const recorder = createFlightRecorder({ maxBytes: 1024 * 1024 });
 *   const manager = startManager({ controllers, recorder });
 *   await manager.done;
 *   return recorder.text();
 * }
 * ```
 */
export function createFlightRecorder(options: FlightRecorderOptions = {}): FlightRecorder {
  const { maxBytes = DEFAULT_MAX_BYTES, clock = systemClock, random = Math.random, onFact, earlier, hasServerCommits = false } = options;
  const processId = Math.floor(random() * 2 ** 32)
    .toString(16)
    .padStart(8, "0");
  // A fork shares the secrets that its cluster knows, and the key of their hashes.
  const redactor = earlier?.redactor ?? createRedactor(options.hashKey);
  const running = new Set<{ readonly describe: () => Omit<RunFact, "sequence" | "time"> }>();
  const listeners = new Set<(line: string) => void>(onFact === undefined ? [] : [onFact]);
  const scopes = createWatchScopes();
  let entries: BufferedFact[] = earlier === undefined ? [] : earlier.text().split("\n").filter(Boolean);
  const noted = new Set<string>(entries.flatMap((line) => notedId(line as string)));
  let first = 0;
  let bytes = entries.reduce((sum, entry) => sum + sizeOf(entry), 0);
  let sequence = earlier?.sequence ?? 0;
  let dropped = 0;
  let runs = 0;
  /** The generation of the redactor up to which `entries` are redacted. */
  let redacted = redactor.generation;

  const add = (entry: BufferedFact) => {
    entries.push(entry);
    bytes += sizeOf(entry);
    while (bytes > maxBytes && first < entries.length) {
      const oldest = entries[first] as BufferedFact;
      bytes -= sizeOf(oldest);
      // With listeners the version is recorded elsewhere.
      if (typeof oldest !== "string" && listeners.size === 0) noted.delete(oldest.id);
      entries[first++] = "";
      dropped++;
    }
    if (first < COMPACT_THRESHOLD || 2 * first < entries.length) return;
    entries = entries.slice(first);
    first = 0;
  };
  const publish = (line: string) => {
    for (const listener of listeners) listener(line);
  };
  const serialize = (entry: BufferedFact): string => (typeof entry === "string" ? entry : serializeObject(entry, redactor));
  /** A secret can become known after a text with it was recorded. */
  const redactAgain = () => {
    if (redacted === redactor.generation) return;
    redacted = redactor.generation;
    for (let i = first; i < entries.length; i++) {
      const line = entries[i] as BufferedFact;
      if (typeof line !== "string" || !redactor.hasSecret(line)) continue;
      const again = stringifyJson(redactFact(parse(line), redactor));
      bytes += Buffer.byteLength(again) - Buffer.byteLength(line);
      entries[i] = again;
    }
  };
  const position = () => ({ sequence: ++sequence, time: clock.now() });
  const record = (fact: NewFact) => {
    // Not as one object: facts have many shapes, so that copying one costs as much as serializing it.
    const line = `{"sequence":${++sequence},"time":${clock.now()},${stringifyJson(redactFact(fact, redactor)).slice(1)}`;
    add(line);
    publish(line);
    if (fact.type === "watch") scopes.add(fact);
    else if (fact.type === "commit") for (const drop of scopes.findUnwatched(fact)) record(drop);
  };
  const recorder: FlightRecorder = {
    processId,
    redactor,
    record,
    append(line) {
      const fact = { ...parse(line), sequence: ++sequence };
      if (fact.type === "watch") scopes.add(fact);
      const text = stringifyJson(redactFact(fact, redactor));
      add(text);
      publish(text);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    noteObject(kind, object) {
      const { metadata } = object as {
        readonly metadata: { readonly namespace?: string; readonly name: string; readonly uid: string; readonly resourceVersion: string };
      };
      const { namespace, name, uid, resourceVersion } = metadata;
      const id = `${kind.id} ${uid} ${resourceVersion}`;
      if (!noted.has(id)) {
        if (noted.size >= MAX_NOTED) for (const old of [...noted].slice(0, MAX_NOTED / 2)) noted.delete(old);
        noted.add(id);
        recorder.learn(kind, object);
        const entry: PendingObject = { ...position(), id, kind, object: object as JsonObject, bytes: estimateBytes(object as JsonObject) };
        if (listeners.size === 0) add(entry);
        else {
          const line = serializeObject(entry, redactor);
          add(line);
          publish(line);
        }
      }
      return { kind: kind.kind, namespace, name, uid, resourceVersion };
    },
    learn(kind, object) {
      const fields = sensitiveFieldsOfKind(kind);
      // An object from a cache or a request may lack its kind.
      if (fields !== undefined) redactor.learnObject(withKind(object as JsonObject, kind), fields);
    },
    facts() {
      redactAgain();
      return [...entries.slice(first).map((entry) => parse(serialize(entry))), ...recorder.runningRuns()];
    },
    text(since = 0) {
      redactAgain();
      // Sequences have no gaps: the last entry has the last one.
      const from = Math.max(first, entries.length - Math.max(0, sequence - since));
      return entries.length === from ? "" : `${entries.slice(from).map(serialize).join("\n")}\n`;
    },
    runningRuns: () => [...running].map((run, i) => ({ sequence: sequence + i + 1, time: clock.now(), ...run.describe() })),
    hasServerCommits,
    get bytes() {
      return bytes;
    },
    get sequence() {
      return sequence;
    },
    get dropped() {
      return dropped;
    },
    now: () => clock.now(),
    nextRunId: () => `${processId}-${++runs}`,
    track(run) {
      running.add(run);
      return () => running.delete(run);
    },
  };
  return recorder;
}

const parse = (line: string) => parseJson(Buffer.from(line)) as Fact;
const sizeOf = (entry: BufferedFact) => (typeof entry === "string" ? Buffer.byteLength(entry) + 1 : entry.bytes);
const withKind = (object: JsonObject, { kind }: RecordedKind): JsonObject => (object["kind"] === kind ? object : { ...object, kind });

function serializeObject({ sequence, time, kind, object }: PendingObject, redactor: Redactor): string {
  const redacted = redactor.redactObject(withKind(object, kind), sensitiveFieldsOfKind(kind));
  return stringifyJson({ sequence, time, type: "object", kind: kind.id, object: redacted });
}

/** The version that a line of an earlier recording holds. */
function notedId(line: string): readonly string[] {
  const match = /^\{"sequence":\d+,"time":[\d.]+,"type":"object"/.test(line) ? parse(line) : undefined;
  if (match?.type !== "object") return [];
  const { uid, resourceVersion } = match.object["metadata"] as JsonObject;
  return [`${match.kind} ${uid} ${resourceVersion}`];
}

/** Estimates the length of a value as JSON, without creating it. */
function estimateBytes(value: unknown): number {
  if (typeof value === "string") return value.length + 3;
  if (typeof value !== "object" || value === null) return 8;
  let bytes = 2;
  if (Array.isArray(value)) for (const item of value) bytes += estimateBytes(item) + 1;
  else for (const name in value) bytes += name.length + 4 + estimateBytes((value as Readonly<Record<string, unknown>>)[name]);
  return bytes;
}

/** The namespaces that controllers watch, from the facts of their watches. */
function createWatchScopes() {
  const scopes = new Map<string, { readonly namespaces: Set<string>; readonly controllers: readonly string[]; readonly kind: string }>();
  const everywhere = new Set<string>();
  return {
    add({ resource, namespace, controllers = [], kind }: Pick<WatchFact, "resource" | "namespace" | "controllers" | "kind">): void {
      if (resource === undefined || controllers.length === 0) return;
      if (namespace === undefined) everywhere.add(resource);
      const scope = scopes.get(resource) ?? { namespaces: new Set(), controllers, kind };
      if (namespace !== undefined) scope.namespaces.add(namespace);
      scopes.set(resource, scope);
    },
    /** Returns the dropped events of a commit in a namespace that a controller of its kind does not watch. */
    findUnwatched({ key, uid, revision, operation }: Pick<CommitFact, "key" | "uid" | "revision" | "operation">): readonly NewFact[] {
      if (scopes.size === 0) return [];
      const parts = key.split("/").slice(2);
      const name = parts.pop() as string;
      const namespace = parts.pop();
      const resource = parts.join("/");
      const scope = scopes.get(resource);
      if (scope === undefined || namespace === undefined || everywhere.has(resource) || scope.namespaces.has(namespace)) return [];
      const event = operation === "delete" ? ("deleted" as const) : ("modified" as const);
      const object = { kind: scope.kind, namespace, name, uid, resourceVersion: operation === "delete" ? undefined : String(revision) };
      return scope.controllers.map((controller) => ({
        type: "drop" as const,
        controller,
        reason: "other namespace" as const,
        key: `${namespace}/${name}`,
        cause: { event, source: "object", object },
      }));
    },
  };
}
