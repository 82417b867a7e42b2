import type { Random } from "../queue/index.ts";
import { type Problem, refusesStreaming } from "./problem.ts";

/**
 * Where a reflector stands: what it is doing, where it would go on, and how often it failed in a row.
 * "stream" and "list" are two ways to get everything; "watch" goes on from `version`; "wait" does `next` after `wait` milliseconds.
 */
export interface Reflection {
  readonly doing: "stream" | "list" | "watch" | "wait";
  readonly next: "stream" | "list" | "watch";
  readonly wait: number;
  /** Everything up to here has been seen; undefined before the first list. */
  readonly version: string | undefined;
  readonly failures: number;
  /** The server has been found not to know streaming lists. */
  readonly listsOnly: boolean;
  readonly problem: Problem | undefined;
}

export type ReflectionEvent =
  /** Everything there was at this version has arrived. */
  | { readonly type: "listed"; readonly version: string }
  /** The server has answered, and will send what there is. */
  | { readonly type: "opened" }
  /** A live event or a bookmark. */
  | { readonly type: "heard"; readonly version: string }
  /** The server ended the stream without an error, after so many milliseconds. */
  | { readonly type: "ended"; readonly after: number }
  /** Nothing was heard for too long. */
  | { readonly type: "silent"; readonly problem: Problem }
  /** So many milliseconds after the first word of the server; 0 when there was none. */
  | { readonly type: "failed"; readonly problem: Problem; readonly after: number }
  | { readonly type: "waited" };

const FIRST_DELAY = 800;
const LONGEST_DELAY = 30_000;
/** A missing kind is asked for this often, so that an optional one starts soon after its CRD appears. */
const MISSING_DELAY = 10_000;
/** A stream that ends sooner than this without a word counts as failed. */
const SHORT_LIFE = 1_000;
/** A watch that lived longer, and whose connection breaks, goes on at some time within this, before any waiting. */
const MOMENT = 200;

/** Problems that are over with the first word of the server. */
const UNHEARD: ReadonlySet<Problem["type"]> = new Set(["silent", "unreachable", "busy"]);

export const START: Reflection = {
  doing: "stream",
  next: "stream",
  wait: 0,
  version: undefined,
  failures: 0,
  listsOnly: false,
  problem: undefined,
};

/** What to do next. Pure; randomness comes in as a number for the jitter. */
export function reflect(state: Reflection, event: ReflectionEvent, random: Random): Reflection {
  switch (event.type) {
    case "listed":
      return { ...state, doing: "watch", version: event.version, failures: 0, problem: undefined };
    case "heard":
      return { ...state, version: event.version, failures: 0, problem: undefined };
    case "opened":
      // How often it failed counts on: a stream that opens and breaks is no success.
      return state.problem !== undefined && UNHEARD.has(state.problem.type) ? { ...state, problem: undefined } : state;
    case "waited":
      return { ...state, doing: state.next };
    case "ended":
      if (state.doing === "watch" && event.after >= SHORT_LIFE) return { ...state, doing: "watch", failures: 0 };
      return later(state, state.doing === "watch" ? "watch" : everything(state), state.problem, random);
    case "silent":
      // A server that ignores the request for a streaming list sends everything and never says that it is done.
      if (state.doing === "stream" && state.failures > 0) return { ...state, doing: "list", listsOnly: true, problem: event.problem };
      return state.failures === 0
        ? { ...state, doing: again(state), failures: 1, problem: event.problem }
        : later(state, again(state), event.problem, random);
    case "failed":
      return afterFailure(state, event, random);
  }
}

function afterFailure(state: Reflection, { problem, after }: { problem: Problem; after: number }, random: Random): Reflection {
  if (state.doing === "watch" && problem.type === "unreachable" && after >= SHORT_LIFE) {
    return { ...state, doing: "wait", next: "watch", wait: MOMENT * random(), problem };
  }
  if (state.doing === "stream" && refusesStreaming(problem.error)) return { ...state, doing: "list", listsOnly: true };
  if (problem.type === "missing") return later(state, everything(state), problem, random);
  if (problem.type !== "expired") return later(state, again(state), problem, random);
  // The first time at once; a server that keeps saying it is not to be hammered.
  return state.failures === 0
    ? { ...state, doing: everything(state), failures: 1, problem }
    : later(state, everything(state), problem, random);
}

/** What was being done, once more. */
const again = (state: Reflection): Reflection["next"] => (state.doing === "watch" ? "watch" : everything(state));
const everything = (state: Reflection) => (state.listsOnly ? "list" : "stream");

function later(state: Reflection, next: Reflection["next"], problem: Problem | undefined, random: Random): Reflection {
  const longest = problem?.type === "missing" ? MISSING_DELAY / 2 : LONGEST_DELAY;
  const delay = Math.min(longest, FIRST_DELAY * 2 ** state.failures) * (1 + random());
  return { ...state, doing: "wait", next, wait: Math.max(delay, problem?.retryAfter ?? 0), failures: state.failures + 1, problem };
}
