import type { Clock } from "../../clock/index.ts";

/** The stack of a call. It is formatted only when it is read. */
export interface CallSite {
  readonly stack?: string;
}

/** Captures the stack of the caller of `callee`. */
export function captureCallSite(callee: (...args: never[]) => unknown): CallSite {
  const site = {};
  Error.captureStackTrace(site, callee);
  return site;
}

/** The last call of the client of a reconcile pass. */
export interface LastCall {
  /** "get Secret default/a". */
  readonly description: string;
  readonly site: CallSite;
  /** Monotonic time. */
  readonly startedAt: number;
  /** Monotonic time; undefined while the call is pending. */
  endedAt: number | undefined;
}

/** Formats the last call: "last client call: get Secret default/a at src/main.ts:12:3, pending for 58 s". */
export function describeLastCall(call: LastCall | undefined, clock: Clock): string {
  if (call === undefined) return "no client call yet";
  const { description, site, startedAt, endedAt } = call;
  const seconds = (since: number) => `${Math.round((clock.monotonic() - since) / 1000)} s`;
  const state = endedAt === undefined ? `pending for ${seconds(startedAt)}` : `ended ${seconds(endedAt)} ago`;
  const caller = findCaller(site);
  return `last client call: ${description}${caller === undefined ? "" : ` at ${caller}`}, ${state}`;
}

/** Describes a call by its verb and arguments: the kind, and a reference or an object. */
export function describeCall(verb: string, [kind, target]: readonly unknown[]): string {
  const kindName = (kind as { readonly kind?: unknown } | undefined)?.kind;
  const at = target as { readonly name?: unknown; readonly namespace?: unknown; readonly metadata?: object } | undefined;
  const { name, namespace } = (at?.metadata ?? at ?? {}) as { readonly name?: unknown; readonly namespace?: unknown };
  const place = [namespace, name].filter((part) => typeof part === "string").join("/");
  return [verb, kindName, place].filter((part) => typeof part === "string" && part !== "").join(" ");
}

/** Returns the place of the first frame: "src/main.ts:12:3". */
function findCaller({ stack = "" }: CallSite): string | undefined {
  const frame = stack.split("\n").find((line) => line.startsWith("    at "));
  return frame === undefined ? undefined : frame.slice(frame.lastIndexOf(" ") + 1).replace(/^\(|\)$/g, "");
}
