import { RequestError } from "../../client/index.ts";
import type { Clock } from "../../clock/index.ts";
import { isJsonObject, type Json, type JsonObject } from "../../json/index.ts";
import type { KindInfo } from "../../kinds/index.ts";
import type { EnqueueReason } from "../../queue/index.ts";
import { type ObjectIdentity, observeConnections, type RecordedCall, type RecordedRun } from "../../recorder/index.ts";

/** What one reconcile pass reads. Everything is noted when it is read, so a pass that reads little costs little. */
export interface PassReads {
  /** An object was read from the cache. */
  noteObject(kind: KindInfo, object: object): void;
  noteTime(now: number): void;
  noteReasons(reasons: readonly EnqueueReason[]): void;
  /** Something was read that a replay cannot give: "clock", "logs Pod default/a". */
  noteOutside(what: string): void;
  /** A call of `client` was sent. The returned function is called with its response or failure. */
  beginCall(): () => void;
  /** A call of `client` was answered. */
  noteCall(verb: string, kind: KindInfo, args: readonly unknown[], response: unknown): void;
  /** A call of `client` failed. */
  noteFailedCall(verb: string, kind: KindInfo, args: readonly unknown[], error: unknown): void;
  /** Notes what is waited for outside of the cluster until the returned function is called. */
  observeOutside(): () => void;
  /** Forgets what was noted: `reconcile` is called now. */
  begin(): void;
  readonly reads: readonly ObjectIdentity[];
  readonly times: readonly number[];
  readonly calls: readonly RecordedCall[];
  readonly reasons: readonly Json[] | undefined;
  readonly outside: readonly string[];
}

const OTHER_WAIT = "a wait for something else than the API server";
/** Objects of the responses of one pass that are recorded. */
const MAX_OBJECTS = 1_000;

/** Creates the record of what a pass reads. */
export function createPassReads({ recorder }: RecordedRun): PassReads {
  const noted = new Set<object>();
  const reads: ObjectIdentity[] = [];
  let calls: RecordedCall[] = [];
  const times: number[] = [];
  const outside = new Set<string>();
  let reasons: readonly Json[] | undefined;
  let objects = 0;
  let inFlight = 0;
  let isRunning = false;
  /**
   * Code that waits for nothing but the API server has ended, or has a call in flight, whenever the event loop turns. All else is something that a replay
   * cannot give, such as a timer, a file, or a connection that was open already.
   */
  const checkWait = () => {
    if (isRunning && inFlight === 0) outside.add(OTHER_WAIT);
  };
  return {
    noteObject(kind, object) {
      if (noted.has(object)) return;
      noted.add(object);
      reads.push(recorder.noteObject(kind, object));
    },
    begin() {
      calls = [];
    },
    noteTime: (now) => void (times.length < MAX_OBJECTS && times.push(now)),
    noteReasons(given) {
      reasons = given as unknown as readonly Json[];
    },
    noteOutside: (what) => void outside.add(what),
    noteCall(verb, kind, args, response) {
      const call = formatCall(verb, kind, args);
      const found = findObjects(response);
      if (verb === "createToken") recorder.learn({ ...kind, kind: "TokenRequest" }, response as object);
      if (found === undefined) return void outside.add(call);
      objects += found.length;
      if (objects > MAX_OBJECTS) return void outside.add(`${call}: ${found.length} objects, which are too many to record`);
      calls.push(found.length === 0 ? { call } : { call, objects: found.map((object) => recorder.noteObject(kind, object)) });
    },
    noteFailedCall(verb, kind, args, error) {
      const status = error instanceof RequestError ? error.status : undefined;
      const message = error instanceof Error ? error.message : String(error);
      calls.push({ call: formatCall(verb, kind, args), error: { code: status?.code ?? 0, reason: status?.reason, message } });
    },
    beginCall() {
      inFlight++;
      return () => {
        inFlight--;
        setImmediate(checkWait);
      };
    },
    observeOutside() {
      isRunning = true;
      setImmediate(checkWait);
      const stop = observeConnections((what) => void outside.add(what));
      return () => {
        isRunning = false;
        stop();
      };
    },
    reads,
    times,
    get calls() {
      return calls;
    },
    get reasons() {
      return reasons;
    },
    get outside() {
      return [...outside];
    },
  };
}

/** "get Secret default/a", "list Pod default app=web": by it, a replay finds the response of a call. */
export function formatCall(verb: string, kind: KindInfo, args: readonly unknown[]): string {
  const ref = args.find((arg): arg is JsonObject => isJsonObject(arg) && (arg["name"] !== undefined || isJsonObject(arg["metadata"])));
  if (ref !== undefined) {
    const { namespace, name, generateName } = (ref["metadata"] ?? ref) as Readonly<Record<string, string | undefined>>;
    return [verb, kind.kind, [namespace, name ?? generateName].filter((part) => part !== undefined && part !== "").join("/")].join(" ");
  }
  const { namespace, labels, fields } = (args.find(isJsonObject) ?? {}) as JsonObject;
  const selection = [namespace, labels, fields]
    .filter((part) => part !== undefined)
    .map((part) => (typeof part === "string" ? part : JSON.stringify(part)));
  return [verb, kind.kind, ...selection].join(" ");
}

/** The objects of a response; undefined if it has none of its own, such as logs. */
function findObjects(response: unknown): readonly object[] | undefined {
  if (response === undefined || response === null) return [];
  if (!isJsonObject(response)) return undefined;
  const { metadata, items } = response;
  if (Array.isArray(items)) return items as unknown as readonly object[];
  if (isJsonObject(metadata) && typeof metadata["uid"] === "string") return [response];
  return isJsonObject(metadata) || response["kind"] === "Status" ? [] : undefined;
}

/** Returns a clock whose use is noted. */
export function noteClock(clock: Clock, reads: PassReads): Clock {
  reads.noteOutside("clock");
  return clock;
}
