import type { Child } from "../kinds/index.ts";
import type { Duration } from "./duration.ts";

/** What should be. What is not mentioned is not touched; what is mentioned is the whole truth. */
export interface Want<Status, Conditions extends string, Ids extends string> {
  /** Present: these and no others, the rest is pruned. Absent: children are left alone. */
  readonly children?: Children<Ids> | undefined;
  readonly status?: Status | undefined;
  /** A declared condition that is not given keeps its value. */
  readonly conditions?: ([Conditions] extends [never] ? never : { readonly [C in Conditions]?: ConditionValue | undefined }) | undefined;
  /** Run again after this long, unless something happens before. */
  readonly requeueAfter?: Duration | undefined;
  /** Of that run: higher goes first, live changes have 0. Default: that of this run. */
  readonly priority?: number | undefined;
}
/** Keys are for logs, diffs and tests; an object's identity is its kind, namespace and name. */
export interface Children<Ids extends string> {
  readonly [key: string]: ChildOf<Ids>;
}
/** A child, several, or, for every falsy value, none this time: `spec.host && Ingress.desired(...)` is what people write. */
export type ChildOf<Ids extends string> = Child<Ids> | readonly Child<Ids>[] | false | null | undefined | "" | 0;
export interface ConditionValue {
  readonly status: boolean | "Unknown";
  readonly reason: string;
  readonly message?: string | undefined;
}

/** Only `want()` makes one. */
export interface Wanted {
  readonly "return want({ ... })": true;
}
/** What is inside a Wanted. */
export type AnyWant = Want<Readonly<Record<string, unknown>>, string, string>;

const wants = new WeakMap<object, AnyWant>();

export function want(result: AnyWant): Wanted {
  const wanted: Wanted = Object.freeze({ "return want({ ... })": true });
  wants.set(wanted, result);
  return wanted;
}

/** Undefined for a function that returned nothing; anything that `want()` did not make is refused. */
export function wantOf(returned: unknown): AnyWant | undefined {
  if (returned === undefined || returned === null) return undefined;
  const found = typeof returned === "object" ? wants.get(returned) : undefined;
  if (found === undefined) throw new TypeError("reconcile returned something else than want({ ... }): return want(...) or nothing");
  return found;
}
