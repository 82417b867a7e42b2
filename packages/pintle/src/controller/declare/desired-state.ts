import type { Child } from "../../kinds/index.ts";
import { InvalidUsage } from "../errors.ts";
import type { Duration } from "./duration.ts";
import type { ChildHistory } from "./history.ts";

/** The desired state that `reconcile` returns with `want(...)`. A field that is left out is not touched; a field that is present is complete. */
export interface DesiredState<Status, Conditions extends string, Ids extends string> {
  /**
   * The desired children. Children that the controller applied earlier and that are missing here are deleted (pruned). Default: children are not
   * touched.
   */
  readonly children?: DesiredChildren<Ids> | undefined;
  /** The desired status, without conditions and observedGeneration. Default: the status is not touched. */
  readonly status?: Status | undefined;
  /**
   * Conditions by type. A declared condition that is left out keeps its value. Default: conditions are not touched.
   *
   * *Guarantees*: `lastTransitionTime` changes only when the status of the condition changes; `observedGeneration` is the generation that was
   * reconciled. *Caveat*: conditions are written after the children have settled, so a status never describes children that are about to change. More
   * in docs/guides/conditions.md.
   */
  readonly conditions?: ([Conditions] extends [never] ? never : { readonly [C in Conditions]?: ConditionValue | undefined }) | undefined;
  /**
   * Reconciles the object again after this duration. Default: only events do.
   *
   * *Guarantees*: an event before that reconciles the object at once and replaces the delay. *Caveat*: the delay is not persisted; after a restart
   * every object is reconciled anyway. More in docs/guides/requeue.md.
   */
  readonly requeueAfter?: Duration | undefined;
  /**
   * Ends this reconciliation as failed after children, status and conditions have been written: it is reported in `Ready`, recorded as an Event and
   * retried with backoff, as if it had been thrown. `Ready` keeps the value in `conditions` if that is not True. Default: none.
   */
  readonly failure?: Error | undefined;
  /** Priority of the requeue; higher runs first, events have 0. Default: the priority of this reconciliation. */
  readonly priority?: number | undefined;
}

/** Children by key. Keys appear in logs, plans and tests; the identity of a child is its kind, namespace and name. */
export interface DesiredChildren<Ids extends string> {
  readonly [key: string]: DesiredChild<Ids>;
}

/** A child, a list of children, a history of `keepLast()`, or a falsy value for none, also in a list: `spec.host && Ingress.desired(...)`. */
export type DesiredChild<Ids extends string> = Child<Ids> | NoChild | readonly (Child<Ids> | NoChild)[] | ChildHistory<Ids>;
type NoChild = false | null | undefined | "" | 0;

/** The value of a condition; the type is its key in `conditions`. */
export interface ConditionValue {
  /** True, False or Unknown. */
  readonly status: boolean | "Unknown";
  /** A word in CamelCase for programs: "RolloutInProgress". */
  readonly reason: string;
  /** A sentence for people. Default: "". */
  readonly message?: string | undefined;
}

/** The return value of a `finalize` that has not finished. */
export interface PendingFinalization<Status, Conditions extends string> {
  /** Calls `finalize` again after this duration. */
  readonly requeueAfter: Duration;
  /** The desired status, as in `want()`. Default: the status is not touched. */
  readonly status?: Status | undefined;
  /** Conditions by type, as in `want()`. Default: conditions are not touched. */
  readonly conditions?: ([Conditions] extends [never] ? never : { readonly [C in Conditions]?: ConditionValue | undefined }) | undefined;
}
/** A pending finalization of any kind. */
export type AnyPendingFinalization = PendingFinalization<Readonly<Record<string, unknown>>, string>;

/** The return value of `want()`. Nothing else creates one, so that a plain object is a compile error. */
export interface DesiredStateToken {
  readonly "return want({ ... })": true;
}
/** A desired state of any kind. */
export type AnyDesiredState = DesiredState<Readonly<Record<string, unknown>>, string, string>;

const desiredStates = new WeakMap<object, AnyDesiredState>();

/** Wraps a desired state. */
export function want(desired: AnyDesiredState): DesiredStateToken {
  const token: DesiredStateToken = Object.freeze({ "return want({ ... })": true });
  desiredStates.set(token, desired);
  return token;
}

/** Returns the desired state of a token; `undefined` if `reconcile` returned nothing. Throws for any other value. */
export function unwrapDesiredState(returned: unknown): AnyDesiredState | undefined {
  if (returned === undefined || returned === null) return undefined;
  const found = typeof returned === "object" ? desiredStates.get(returned) : undefined;
  if (found === undefined)
    throw new InvalidUsage("PINTLE3016", "reconcile returned something other than want({ ... }): return want(...) or nothing");
  return found;
}
