import type { Client, Permission } from "../../client/index.ts";
import type { Clock } from "../../clock/index.ts";
import type { AnyKind, IdOf, KindIdentity, KindInfo, LabelSelector, ObjectOf, Scope } from "../../kinds/index.ts";
import type { EnqueueReason } from "../../queue/index.ts";
import type { Logger } from "../logger.ts";
import type { NamespacedName } from "../names.ts";
import type { DesiredState, DesiredStateToken, PendingFinalization } from "./desired-state.ts";
import type { Duration } from "./duration.ts";
import type { PolicyRuleGrant } from "./policy-rule-grant.ts";

/** A kind for `owns` and `watches`: a kind, `metadataOnly(Kind)`, `optionalKind(Kind)` or `elsewhere(Kind)`. */
export interface OwnableKind extends KindInfo {
  readonly "~": { readonly read: any };
}

/** Maps an object of a watched kind to the primary objects it concerns. "owner": to those in its owner references. */
export type WatchMapping<P, T> = "owner" | LabelMapping | AnnotationMapping | NameMapping<P> | SelectorMapping<P> | MapFunction<T>;
/** The value of this label is the name of the primary object, in the same namespace. */
export interface LabelMapping {
  /** The label key. */
  readonly label: string;
}
/** The value of this annotation is "name" or "namespace/name" of the primary object. */
export interface AnnotationMapping {
  /** The annotation key. */
  readonly annotation: string;
}
/** The primary object names the watched ones: `by: { name: (memcached) => memcached.spec.secretName }`. */
export interface NameMapping<P> {
  /**
   * Returns references to the watched objects: `"name"`, `"namespace/name"` or `{ name, namespace }`. A name without a namespace is in the namespace
   * of the primary object; from a cluster-scoped primary object it means the objects of that name in every namespace.
   */
  readonly name: (primary: P) => NameReference | readonly NameReference[] | undefined;
}
/** A reference of `by: { name }`. */
export type NameReference = string | NamespacedName;
/** The primary object selects the watched ones by label: `by: { selector: (service) => service.spec.selector }`. */
export interface SelectorMapping<P> {
  /** Returns the label selector: `{}` selects all objects, `undefined` none. */
  readonly selector: (primary: P) => LabelSelector | undefined;
  /**
   * Where objects are selected: in the namespace of the primary object ("own") or in all. Default: "own"; for a cluster-scoped primary or watched
   * kind "all", the only possible value.
   */
  readonly namespaces?: "own" | "all" | undefined;
}
/** Returns the names of the primary objects; the default namespace is that of the watched object. If it throws, the event is mapped again with backoff. */
export type MapFunction<T> = (object: T) => readonly NamespacedName[];
/** Returns whether an event enqueues. `old` is `undefined` for a created object, `now` for a deleted one. */
export type EventPredicate<T> = (old: T | undefined, now: T | undefined) => boolean;

/** The mappings that can match: a cluster-scoped object can neither have a namespaced owner nor name one in a label. */
type PossibleMapping<P, K, PS> = [PS, K] extends ["Namespaced", { readonly scope: "Cluster" }]
  ? Exclude<WatchMapping<P, ObjectOf<K>>, "owner" | LabelMapping>
  : WatchMapping<P, ObjectOf<K>>;

/** An entry of `watches`; `PS` is the scope of the primary kind. */
export interface WatchDeclaration<P, K, PS = Scope> {
  /** The watched kind; `metadataOnly(Kind)` keeps only metadata in memory. */
  readonly kind: K;
  /** How its objects map to primary objects. */
  readonly by: PossibleMapping<P, K, PS>;
  /** Which events enqueue. Default: all. */
  readonly when?: EventPredicate<ObjectOf<K>> | undefined;
}

/** Read access to the children of one object, from the cache. */
export interface OwnedLister<T> {
  /** Returns the child with this name. Default namespace: that of the object. */
  get(name: string, namespace?: string): T | undefined;
  /** Lists all children of the kind. */
  list(): readonly T[];
}

/** The status that a controller of a kind writes. */
export type StatusOf<K> = K extends { readonly "~": { readonly status: infer S } }
  ? S
  : ObjectOf<K> extends { readonly status?: infer S }
    ? NonNullable<S>
    : never;
/** The condition types of a kind: the declared ones, or any for a built-in kind. */
export type ConditionsOf<K> = K extends { readonly "~": { readonly conditions: infer C extends string } } ? C : string;

/** A kind listed in `owns`. */
export interface OwnedKind<out Id extends string> {
  readonly id: Id;
}
/** The object type of the kind with this id in `owns`. */
export type OwnedObject<O, Id extends string> = O extends KindIdentity<infer I> ? (Id extends I ? ObjectOf<O> : never) : never;
type NeedsOf<N> = Extract<N, Permission<string, string>>;

/** Records a Kubernetes Event about the object. Repeated events within six minutes become a series with a count. */
export type RecordEvent = (reason: string, message: string, options?: RecordEventOptions) => void;
/** Options of `event()`. */
export interface RecordEventOptions {
  /** Default: "Normal". */
  readonly type?: "Normal" | "Warning" | undefined;
  /** Annotations of the Event. Default: none. */
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}

/** The argument of `reconcile` and `finalize`. */
export interface ReconcileContext<R extends AnyKind, O, W, N> {
  /** The object from the cache: frozen, with defaults. */
  readonly object: ObjectOf<R>;
  /** Returns read access to the children of a kind in `owns`, from the cache. */
  owned<Id extends IdOf<O>>(kind: OwnedKind<Id>): OwnedLister<OwnedObject<O, Id>>;
  /** The watched objects that map to this object, from the cache, by name in `watches`. */
  readonly related: { readonly [K in keyof W]: readonly ObjectOf<W[K]>[] };
  /** Returns the desired state; unknown fields are compile errors. */
  want(result: DesiredState<StatusOf<R>, ConditionsOf<R>, IdOf<O>>): DesiredStateToken;
  /** For requests that `want` cannot express. Accepts the declared kinds and verbs; calls are aborted with `signal`. */
  readonly client: Client<NeedsOf<N> | Permission<IdOf<O> | IdOf<W[keyof W]> | IdOf<R>, "get" | "list">>;
  /** Aborted when `timeout` has passed, the lease is lost, or the grace period of a stopping manager is over. */
  readonly signal: AbortSignal;
  /** Logs with the controller and the object as fields. */
  readonly log: Logger;
  /** Records a Kubernetes Event about the object. */
  readonly event: RecordEvent;
  /** The current time: that of the injected clock in `simulate()` and in tests with a virtual clock. */
  readonly now: Date;
  /** The clock of the manager, for timers and durations. Tests inject a virtual one. */
  readonly clock: Clock;
  /**
   * Returns a body for `client.create` with what a returned child gets: the namespace of the object if it has none, and a controlling owner reference, or
   * label and annotation where that cannot reach. The created object is deleted with its owner, enqueues it, and is listed by `owned(kind)`; it is never
   * changed or pruned by the plan. The kind must be in `owns`.
   */
  withOwner<Id extends IdOf<O>, T extends object>(kind: OwnedKind<Id>, body: T): T & { readonly metadata: { readonly namespace: string } };
  /**
   * Throws `NotLeading` when this process must not act any more, because its lease may have expired. `client` checks it before every write; call it before
   * each change of an external system, after the last `await`.
   */
  assertLeading(): void;
  /** Why the object was enqueued. For logs: the desired state must follow from the objects alone. */
  readonly reasons: readonly EnqueueReason[];
}

/** The argument of a daemon. */
export interface DaemonContext<R extends AnyKind, N> {
  /** The current object, from the cache. A getter: read it each time; `{ object }` in the parameter list is the object at the start of the daemon. */
  get object(): ObjectOf<R>;
  /** Aborted when the object is deleted or paused, the lease is lost, or the manager stops. */
  readonly signal: AbortSignal;
  /** Accepts the declared kinds and verbs; calls are aborted with `signal`. */
  readonly client: Client<NeedsOf<N> | Permission<IdOf<R>, "get" | "list">>;
  /** Logs with the controller, the object and the daemon as fields. */
  readonly log: Logger;
  /** Records a Kubernetes Event about the object. */
  readonly event: RecordEvent;
  /** The current time: that of the injected clock in `simulate()` and in tests with a virtual clock. */
  readonly now: Date;
  /** The clock of the manager: `await clock.sleep(60_000, signal)` waits in virtual time in tests. */
  readonly clock: Clock;
  /**
   * Throws `NotLeading` when this process must not act any more, because its lease may have expired. `client` checks it before every write; call it before
   * each change of an external system, after the last `await`.
   */
  assertLeading(): void;
  /** Enqueues the object. */
  enqueue(): void;
}

/** Metrics in the Prometheus text format; several controllers can share one source. */
export interface MetricsSource {
  /** Returns the names of all metrics; they must be unique in a manager. */
  names(): readonly string[];
  /** Returns all metrics as text. */
  render(): string;
  /**
   * Returns all metrics as OpenMetrics text, without the final `# EOF`. Default, also for `undefined`: the manager answers in the plain text format.
   */
  renderOpenMetrics?(): string | undefined;
}

/** The defaults of `controller()`. */
export const CONTROLLER_DEFAULTS = { daemonGrace: "10s", timeout: "10m" } as const satisfies {
  readonly daemonGrace: Duration;
  readonly timeout: Duration;
};

/** Options of `controller()`. */
export interface ControllerOptions<
  R extends AnyKind,
  O extends readonly OwnableKind[],
  W,
  N extends readonly (Permission<string, string> | PolicyRuleGrant)[],
> {
  /** Name of the controller. It is the field manager and part of the finalizer, so it must not change. Default: the kind in lower case. */
  readonly name?: string | undefined;
  /**
   * The kinds of all children that `want` can return. Default: none.
   *
   * *Guarantees*: a child gets a controlling owner reference, is applied with server-side apply, is watched, and is pruned when it is no longer
   * desired. An object that another owner controls is never taken over (`AlreadyOwned`). *Caveat*: fields that other managers own are taken over
   * (force) if the child contains them. More in docs/guides/ownership.md.
   */
  readonly owns?: O | undefined;
  /** Kinds that an earlier version of the controller owned: their children are pruned. Default: none. */
  readonly formerly?: readonly OwnableKind[] | undefined;
  /** Further kinds whose events enqueue primary objects. Default: none. */
  readonly watches?: { readonly [K in keyof W]: WatchDeclaration<ObjectOf<R>, W[K], R["scope"]> } | undefined;
  /** Permissions of `client` beyond reading the primary, owned and watched kinds. Default: none. */
  readonly needs?: N | undefined;
  /** Which events of the primary object enqueue it. Default: all. */
  readonly when?: EventPredicate<ObjectOf<R>> | undefined;
  /** External event sources that yield names to enqueue: a message queue, a webhook receiver, a poll. Restarted with backoff when they throw. Default: none. */
  readonly sources?: { readonly [name: string]: (signal: AbortSignal) => AsyncIterable<NamespacedName> } | undefined;
  /**
   * Functions that run for each object from its first reconciliation to its deletion: a poll, a connection, a timer. Restarted with backoff when
   * they throw. A finalizer delays the deletion until they have ended after `signal`, at most `daemonGrace`. Default: none.
   */
  readonly daemons?: { readonly [name: string]: (daemon: DaemonContext<R, N[number]>) => void | Promise<void> } | undefined;
  /** How long daemons have to end after `signal`. Default: `DEFAULTS.daemonGrace` ("10s"). */
  readonly daemonGrace?: Duration | undefined;
  /** Metrics of the controller, served with those of the manager; see `createMetricsRegistry()`. Default: none. */
  readonly metrics?: MetricsSource | undefined;
  /** Number of workers: objects reconciled at the same time. Default: that of the manager. */
  readonly concurrency?: number | undefined;
  /**
   * Limit for one call of `reconcile` or `finalize`; then `signal` is aborted and the call fails with `ReconcileTimeout`. A call that does not end within
   * ten seconds after that is abandoned. Before, warnings say how long it has been running and what `client` was called for last. `false`: no
   * limit. Default: `DEFAULTS.timeout` ("10m").
   */
  readonly timeout?: Duration | false | undefined;
  /** Enqueues every object at this interval, with low priority. Default: never. */
  readonly resync?: Duration | undefined;
  /** Returns the desired state, or writes with `client` and returns nothing. A failure is retried with backoff, without limit. */
  readonly reconcile: (
    context: ReconcileContext<R, O[number], W, N[number]>,
    // biome-ignore lint/suspicious/noConfusingVoidType: `reconcile` can return nothing
  ) => DesiredStateToken | void | Promise<DesiredStateToken | void>;
  /**
   * Cleans up before the object is removed. Default: none.
   *
   * *Guarantees*: with `finalize`, the object gets the finalizer `pintle.dev/<name>` before the first call of `reconcile`; it is removed only after
   * `finalize` has succeeded without `requeueAfter`. A failure is retried with backoff. *Caveats*: `finalize` can run more than once and must be
   * idempotent; while the operator is down, deleted objects stay; an object deleted before its first reconciliation is not finalized. More in
   * docs/guides/finalizers.md.
   */
  readonly finalize?: (
    context: ReconcileContext<R, O[number], W, N[number]>,
    // biome-ignore lint/suspicious/noConfusingVoidType: `finalize` can return nothing
  ) => void | PendingFinalization<StatusOf<R>, ConditionsOf<R>> | Promise<void | PendingFinalization<StatusOf<R>, ConditionsOf<R>>>;
}
