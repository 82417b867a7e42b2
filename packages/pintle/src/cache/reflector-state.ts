import type { Random } from "../clock/index.ts";
import { PintleError } from "../errors/index.ts";
import { isStreamingListUnsupported, type WatchProblem } from "./watch-problem.ts";

declare const resumable: unique symbol;
/**
 * A resourceVersion from which a watch resumes: never empty. A watch without one would start at an arbitrary version, and objects that were deleted
 * before would stay in the store. Only `toResumeVersion` creates it.
 */
export type ResumeVersion = string & { readonly [resumable]: true };

/** Checks the resourceVersion of a list, an event or a bookmark. Throws if the API server sent none. */
export function toResumeVersion(version: unknown): ResumeVersion {
  if (typeof version !== "string" || version === "")
    throw new PintleError("PINTLE1114", "the API server sent no resourceVersion to watch from");
  return version as ResumeVersion;
}

/** A request to the API server. A watch cannot be written without the resourceVersion it resumes from. */
export type ReflectorRequest =
  /** Reads all objects with a watch that sends them as initial events. */
  | { readonly phase: "streamingList" }
  /** Reads all objects in pages. */
  | { readonly phase: "pagedList" }
  /** Resumes after this version. */
  | { readonly phase: "watch"; readonly resourceVersion: ResumeVersion };

/** What the reflector carries from state to state. */
interface ReflectorHistory {
  /** Consecutive failures. */
  readonly failures: number;
  /** False once the API server has rejected a streaming list. */
  readonly canStream: boolean;
  readonly problem: WatchProblem | undefined;
}

/** State of a reflector: the request it executes, or the request it sends after `delay` milliseconds. */
export type ReflectorState = ReflectorHistory &
  (ReflectorRequest | { readonly phase: "backoff"; readonly delay: number; readonly next: ReflectorRequest });

export type ReflectorEvent =
  /** All changes up to this version were delivered: a list completed, or an event or a bookmark arrived. */
  | { readonly type: "progress"; readonly resourceVersion: ResumeVersion }
  /** The API server accepted the request. */
  | { readonly type: "opened" }
  /** The API server ended the watch without an error, after this many milliseconds. */
  | { readonly type: "ended"; readonly after: number }
  /** Nothing arrived for too long. */
  | { readonly type: "silent"; readonly problem: WatchProblem }
  /** The request failed, this many milliseconds after the first response; 0 if there was none. */
  | { readonly type: "failed"; readonly problem: WatchProblem; readonly after: number }
  /** The backoff is over. */
  | { readonly type: "waited" };

const FIRST_DELAY = 800;
const MAX_DELAY = 30_000;
/** A missing kind is requested this often, so that an optional kind starts soon after its CRD is created. */
const MISSING_DELAY = 10_000;
/** A watch that ends sooner counts as failed. */
const MIN_HEALTHY_LIFETIME = 1_000;
/** A watch that lived longer and whose connection breaks resumes within this time, without backoff. */
const RESUME_JITTER = 200;

/** Problems that are over as soon as the API server responds. */
const TRANSIENT_PROBLEMS: ReadonlySet<WatchProblem["type"]> = new Set(["silent", "unreachable", "busy"]);

export const INITIAL_STATE: ReflectorState = { phase: "streamingList", failures: 0, canStream: true, problem: undefined };

/** Returns the next state. Pure: randomness, for jitter, is an argument. */
export function nextReflectorState(state: ReflectorState, event: ReflectorEvent, random: Random): ReflectorState {
  switch (event.type) {
    case "progress":
      return { phase: "watch", resourceVersion: event.resourceVersion, failures: 0, canStream: state.canStream, problem: undefined };
    case "opened":
      // `failures` stays: a watch that opens and breaks again is no success.
      return state.problem !== undefined && TRANSIENT_PROBLEMS.has(state.problem.type) ? { ...state, problem: undefined } : state;
    case "waited":
      return state.phase === "backoff" ? { ...state.next, ...historyOf(state) } : state;
    case "ended":
      if (state.phase === "watch" && event.after >= MIN_HEALTHY_LIFETIME) return { ...state, failures: 0 };
      return backOff(state, retryRequest(state), state.problem, random);
    case "silent":
      // An API server that ignores `sendInitialEvents` sends all objects and never the bookmark that ends them.
      if (state.phase === "streamingList" && state.failures > 0)
        return { phase: "pagedList", failures: state.failures, canStream: false, problem: event.problem };
      return retryOnce(state, retryRequest(state), event.problem, random);
    case "failed":
      return stateAfterFailure(state, event.problem, event.after, random);
  }
}

function stateAfterFailure(state: ReflectorState, problem: WatchProblem, after: number, random: Random): ReflectorState {
  if (state.phase === "watch" && problem.type === "unreachable" && after >= MIN_HEALTHY_LIFETIME)
    return { ...historyOf(state), phase: "backoff", delay: RESUME_JITTER * random(), next: retryRequest(state), problem };
  if (state.phase === "streamingList" && isStreamingListUnsupported(problem.error))
    return { ...historyOf(state), phase: "pagedList", canStream: false };
  if (problem.type === "missing") return backOff(state, listRequest(state), problem, random);
  if (problem.type !== "expired") return backOff(state, retryRequest(state), problem, random);
  return retryOnce(state, listRequest(state), problem, random);
}

/** Sends the request at once after the first failure, and with backoff after further ones. */
function retryOnce(state: ReflectorState, request: ReflectorRequest, problem: WatchProblem, random: Random): ReflectorState {
  return state.failures === 0 ? { ...request, failures: 1, canStream: state.canStream, problem } : backOff(state, request, problem, random);
}

function backOff(state: ReflectorState, next: ReflectorRequest, problem: WatchProblem | undefined, random: Random): ReflectorState {
  const cap = problem?.type === "missing" ? MISSING_DELAY / 2 : MAX_DELAY;
  const delay = Math.min(cap, FIRST_DELAY * 2 ** state.failures) * (1 + random());
  return {
    phase: "backoff",
    next,
    delay: Math.max(delay, problem?.retryAfter ?? 0),
    failures: state.failures + 1,
    canStream: state.canStream,
    problem,
  };
}

/** The request that failed, once more: a watch resumes where it was, a list starts again. */
function retryRequest(state: ReflectorState): ReflectorRequest {
  return state.phase === "watch" ? { phase: "watch", resourceVersion: state.resourceVersion } : listRequest(state);
}

function listRequest({ canStream }: ReflectorHistory): ReflectorRequest {
  return { phase: canStream ? "streamingList" : "pagedList" };
}

function historyOf({ failures, canStream, problem }: ReflectorHistory): ReflectorHistory {
  return { failures, canStream, problem };
}
