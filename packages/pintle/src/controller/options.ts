import type { Client, Need } from "../client/index.ts";
import type { AnyKind, IdOf, KindFacts, Named, ReadOf } from "../kinds/index.ts";
import type { Reason } from "../queue/index.ts";
import type { Duration } from "./duration.ts";
import type { Grant } from "./grants.ts";
import type { Logger } from "./logger.ts";
import type { Want, Wanted } from "./want.ts";

/** What `owns` and `watches` may hold: kinds, `meta(Kind)`, `optional(Kind)`, `elsewhere(Kind)`. */
export interface Ownable extends KindFacts {
  readonly "~": { readonly read: any };
}
export interface ObjectName {
  readonly name: string;
  readonly namespace?: string | undefined;
}

/** How an object of a watched kind finds the objects it concerns. */
export type By<P, T> = "owner" | ByLabel | ByAnnotation | ByName<P> | ByMap<T>;
/** The label's value is the name of the primary, in the same namespace. */
export interface ByLabel {
  readonly label: string;
}
/** The annotation's value is "name" or "namespace/name" of the primary. */
export interface ByAnnotation {
  readonly annotation: string;
}
/** The primary names it: `by: { name: (mc) => mc.spec.secretName }`. */
export interface ByName<P> {
  readonly name: (primary: P) => string | readonly string[] | undefined;
}
/** It names the primaries; without a namespace they are in its own. May throw: the change is then kept and mapped again later. */
export type ByMap<T> = (seen: T) => readonly ObjectName[];
/** Which changes matter. `old` is missing for a new object, `new` for one that is gone; true wakes. */
export type Filter<T> = (old: T | undefined, now: T | undefined) => boolean;

export interface Watch<P, K> {
  readonly kind: K;
  readonly by: By<P, ReadOf<K>>;
  readonly when?: Filter<ReadOf<K>> | undefined;
}

/** Children of one object, as the cache has them. */
export interface Store<T> {
  /** In the object's own namespace unless another is given. */
  get(name: string, namespace?: string): T | undefined;
  all(): readonly T[];
}

/** Status a controller of `K` writes; built-in kinds are as good a primary as our own. */
export type StatusOf<K> = K extends { readonly "~": { readonly status: infer S } }
  ? S
  : ReadOf<K> extends { readonly status?: infer S }
    ? NonNullable<S>
    : never;
export type ConditionsOf<K> = K extends { readonly "~": { readonly conditions: infer C extends string } } ? C : string;

/** A kind listed in `owns`. */
export interface Owned<out Id extends string> {
  readonly id: Id;
}
export type OwnedRead<O, Id extends string> = O extends Named<infer I> ? (Id extends I ? ReadOf<O> : never) : never;
type NeedsOf<N> = Extract<N, Need<string, string>>;

/** Makes a Kubernetes Event about the object; repeated ones are counted, not repeated. */
export type Announce = (reason: string, message: string, options?: AnnounceOptions) => void;
export interface AnnounceOptions {
  /** Default: "Normal". */
  readonly type?: "Normal" | "Warning" | undefined;
  /** On the Event. */
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}

export interface Context<R extends AnyKind, O, W, N> {
  /** The object as the cache has it: frozen, defaults filled in. */
  readonly object: ReadOf<R>;
  /** Children of this object, from the cache. */
  owned<Id extends IdOf<O>>(kind: Owned<Id>): Store<OwnedRead<O, Id>>;
  /** Watched objects that concern this object, from the cache. */
  readonly related: { readonly [K in keyof W]: readonly ReadOf<W[K]>[] };
  /** Types the answer: excess fields are refused where they stand. */
  want(result: Want<StatusOf<R>, ConditionsOf<R>, IdOf<O>>): Wanted;
  /** For what the answer cannot say. Takes kinds and verbs that were declared; every call ends with `signal`. */
  readonly client: Client<NeedsOf<N> | Need<IdOf<O> | IdOf<W[keyof W]> | IdOf<R>, "get" | "list">>;
  /** Aborted when the reconcile timeout has passed, the lease is lost, or the manager stops and waited long enough. */
  readonly signal: AbortSignal;
  readonly log: Logger;
  readonly event: Announce;
  /** Why this run happens. For logs; what to do must follow from the state of things alone. */
  readonly reasons: readonly Reason[];
}

/** What a daemon is given. */
export interface Daemon<R extends AnyKind, N> {
  /** The object as it is now. */
  readonly object: ReadOf<R>;
  /** Aborted when the object is being deleted or paused, when the lease is lost, and when the manager stops. */
  readonly signal: AbortSignal;
  /** Kinds and verbs that were declared; every call ends with `signal`. */
  readonly client: Client<NeedsOf<N> | Need<IdOf<R>, "get" | "list">>;
  readonly log: Logger;
  readonly event: Announce;
  /** Has the object reconciled. */
  wake(): void;
}

/** Metrics as text; several controllers may share them. */
export interface Told {
  names(): readonly string[];
  text(): string;
}

export interface Options<R extends AnyKind, O extends readonly Ownable[], W, N extends readonly (Need<string, string> | Grant)[]> {
  /** Also the field manager: stable for ever. Default: the kind in lower case. */
  readonly name?: string | undefined;
  /** Every kind that may ever be returned as a child. */
  readonly owns?: O | undefined;
  /** Kinds that an earlier version owned: pruned, never applied. */
  readonly formerly?: readonly Ownable[] | undefined;
  readonly watches?: { readonly [K in keyof W]: Watch<ReadOf<R>, W[K]> } | undefined;
  /** What `client` may do besides reading what is owned and watched. */
  readonly needs?: N | undefined;
  /** Which changes of the object itself matter. Default: all. */
  readonly when?: Filter<ReadOf<R>> | undefined;
  /** Names that come from elsewhere and wake their objects: a queue, a webhook receiver, a poll. Started again when it throws. */
  readonly sources?: { readonly [name: string]: (signal: AbortSignal) => AsyncIterable<ObjectName> } | undefined;
  /**
   * Run beside each object for as long as it lives: a poll, a connection, a timer. Started again with backoff when it throws.
   * Before a deleted object goes they are told by `signal` and given `daemonGrace` to end, so the object carries a finalizer.
   */
  readonly daemons?: { readonly [name: string]: (daemon: Daemon<R, N[number]>) => void | Promise<void> } | undefined;
  /** Default: "10s". */
  readonly daemonGrace?: Duration | undefined;
  /** What it counts itself, told with the manager's own metrics: made by `registry()`. */
  readonly metrics?: Told | undefined;
  /** How many objects at once. Default: the manager's. */
  readonly concurrency?: number | undefined;
  /** Longest time for one call of `reconcile` or `finalize`; then `signal` is aborted. Default: none. */
  readonly timeout?: Duration | undefined;
  /** Wakes every object this often, after all that changed. Default: never. */
  readonly resync?: Duration | undefined;
  /** Says what should be, or does it with `client` and returns nothing. A throw is retried with backoff, for ever. */
  // biome-ignore lint/suspicious/noConfusingVoidType: a function that returns nothing is one of its two forms
  readonly reconcile: (context: Context<R, O[number], W, N[number]>) => Wanted | void | Promise<Wanted | void>;
  /** Present: the object carries a finalizer that goes when this has succeeded. */
  readonly finalize?: (
    context: Context<R, O[number], W, N[number]>,
    // biome-ignore lint/suspicious/noConfusingVoidType: as above
  ) => void | { readonly requeueAfter: Duration } | Promise<void | { readonly requeueAfter: Duration }>;
}
