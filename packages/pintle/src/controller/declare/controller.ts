import type { Permission } from "../../client/index.ts";
import type { AnyKind, IdOf, KindInfo } from "../../kinds/index.ts";
import { InvalidUsage } from "../errors.ts";
import { METADATA_PREFIX, type NamespacedName } from "../names.ts";
import { type Duration, durationToMilliseconds } from "./duration.ts";
import { isElsewhere } from "./elsewhere.ts";
import {
  CONTROLLER_DEFAULTS,
  type ControllerOptions,
  type EventPredicate,
  type MetricsSource,
  type OwnableKind,
  type WatchDeclaration,
  type WatchMapping,
} from "./options.ts";
import type { PolicyRuleGrant } from "./policy-rule-grant.ts";

/** A declared controller: a value without effects until `run()` or `startManager()` starts it. */
export interface Controller<Id extends string = string> {
  /** The primary kind. */
  readonly kind: KindInfo<Id>;
  /** Name of the controller: field manager, part of the finalizer, and label of its metrics. */
  readonly name: string;
  /** The kinds of its children. */
  readonly owns: readonly KindInfo[];
  /** Kinds of children of earlier versions. */
  readonly formerly: readonly KindInfo[];
  /** Further watched kinds, by name. */
  readonly watches: {
    readonly [name: string]: {
      readonly kind: KindInfo;
      readonly by: WatchMapping<any, any>;
      readonly when?: EventPredicate<any> | undefined;
    };
  };
  /** Declared permissions. */
  readonly needs: readonly (Permission<string, string> | PolicyRuleGrant)[];
  /** Which events of the primary object enqueue it; undefined: all. */
  readonly when: EventPredicate<any> | undefined;
  /** Functions that run for each object, by name. */
  readonly daemons: { readonly [name: string]: (daemon: any) => unknown };
  /** In milliseconds. */
  readonly daemonGrace: number;
  /** External event sources, by name. */
  readonly sources: { readonly [name: string]: (signal: AbortSignal) => AsyncIterable<NamespacedName> };
  /** Its metrics; undefined: none of its own. */
  readonly metrics: MetricsSource | undefined;
  /** Number of workers; undefined: that of the manager. */
  readonly concurrency: number | undefined;
  /** In milliseconds; undefined: no limit. */
  readonly timeout: number | undefined;
  /** In milliseconds; undefined: never. */
  readonly resync: number | undefined;
  /** The finalizer that the controller adds to its objects; `undefined` if it needs none. */
  readonly finalizer: string | undefined;
  /** The reconcile function. */
  readonly reconcile: (context: any) => unknown;
  /** The finalize function; undefined: none. */
  readonly finalize: ((context: any) => unknown) | undefined;
}

/**
 * Declares a controller: one reconcile function for one kind, and every kind it reads or writes. RBAC is derived from the declaration.
 *
 * `reconcile` returns the desired state with `want(...)`, or writes with `client` and returns nothing.
 *
 * ## Guarantees
 *
 * - One object is never reconciled twice at the same time, unless a call went on after its `timeout` and was abandoned; different objects are
 *   reconciled concurrently.
 * - Events are merged per object: many events while an object waits or runs lead to one further reconciliation.
 * - Level-based: every object is reconciled after a start and after a relist, so no missed event is lost.
 * - A failure is retried with exponential backoff without limit, unless it is a `terminal()` error.
 * - Own writes do not enqueue their object again; the pass is repeated until nothing is written (at most 10 passes, then `Oscillation`).
 * - A child that has another controlling owner is never changed: reconcile fails with `AlreadyOwned`.
 *
 * ## Caveats
 *
 * - `reconcile` must be idempotent and must compute the desired state from the objects alone.
 * - Reads come from the cache and can be behind the API server, except for own writes.
 * - `name` is the field manager and part of the finalizer. Changing it orphans both.
 * - Children in other namespaces need `elsewhere(Kind)`; they are deleted by a finalizer, not by the garbage collector.
 *
 * @example
 * ```ts
 * import { controller, defineResource, z } from "pintle";
 * import { ConfigMap } from "pintle/kinds/core/v1";
 *
 * const Greeting = defineResource({
 *   group: "example.com",
 *   version: "v1",
 *   kind: "Greeting",
 *   spec: z.object({ text: z.string() }),
 *   conditions: ["Ready"],
 * });
 *
 * export const greeting = controller(Greeting, {
 *   owns: [ConfigMap],
 *   reconcile({ object, want }) {
 *     const { name } = object.metadata;
 *     return want({
 *       children: { config: ConfigMap.desired({ metadata: { name }, data: { text: object.spec.text } }) },
 *       conditions: { Ready: { status: true, reason: "Applied" } },
 *     });
 *   },
 * });
 * ```
 */
export function controller<
  R extends AnyKind,
  const O extends readonly OwnableKind[] = readonly [],
  // biome-ignore lint/complexity/noBannedTypes: no watches at all, so `related` has no fields
  W extends { readonly [name: string]: OwnableKind } = {},
  const N extends readonly (Permission<string, string> | PolicyRuleGrant)[] = readonly [],
>(kind: R, options: ControllerOptions<R, O, W, N>): Controller<IdOf<R>> {
  const name = options.name ?? kind.kind.toLowerCase();
  if (!/^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/.test(name))
    throw new InvalidUsage("PINTLE3001", `controller name ${JSON.stringify(name)}: use letters, digits, "-", "_" and ".", at most 63`);
  const owns = options.owns ?? [];
  const duplicate = owns.find((one, i) => owns.findIndex((other) => other.id === one.id) !== i);
  if (duplicate !== undefined) throw new InvalidUsage("PINTLE3002", `controller ${name}: ${duplicate.id} is listed twice in \`owns\``);
  for (const [watch, { kind: watched, by }] of Object.entries(options.watches ?? {}) as [string, WatchDeclaration<any, OwnableKind>][])
    assertCanMatch(`controller ${name}, watches ${watch}`, kind, watched, by);
  const daemons = options.daemons ?? {};
  const needsFinalizer =
    options.finalize !== undefined || Object.keys(daemons).length > 0 || owns.some((child) => canBeCrossNamespace(kind, child));
  const finalizer = needsFinalizer ? `${METADATA_PREFIX}/${name}` : undefined;
  const toMilliseconds = (duration: Duration | undefined) => (duration === undefined ? undefined : durationToMilliseconds(duration));
  return Object.freeze({
    kind,
    name,
    owns,
    formerly: options.formerly ?? [],
    watches: options.watches ?? {},
    needs: options.needs ?? [],
    when: options.when,
    daemons,
    daemonGrace: durationToMilliseconds(options.daemonGrace ?? CONTROLLER_DEFAULTS.daemonGrace),
    sources: options.sources ?? {},
    metrics: options.metrics,
    concurrency: options.concurrency,
    timeout: options.timeout === false ? undefined : durationToMilliseconds(options.timeout ?? CONTROLLER_DEFAULTS.timeout),
    resync: toMilliseconds(options.resync),
    finalizer,
    reconcile: options.reconcile,
    finalize: options.finalize,
  }) as unknown as Controller<IdOf<R>>;
}

/** Throws `InvalidUsage` for a mapping that can never match: `related` would be an empty list without a reason. */
function assertCanMatch(subject: string, primary: KindInfo, watched: KindInfo, by: WatchMapping<any, any>): void {
  const refuse = (why: string) => {
    throw new InvalidUsage("PINTLE3006", `${subject}: ${why}`);
  };
  const isScopeLost = primary.scope === "Namespaced" && watched.scope === "Cluster";
  const advice = `use \`{ annotation }\` with "namespace/name", \`{ name }\`, \`{ selector }\` or a function`;
  if (by === "owner") {
    if (isScopeLost)
      refuse(
        `an object of ${watched.kind}, which is cluster-scoped, cannot have an owner of ${primary.kind}, which is namespaced: ${advice}`,
      );
    return;
  }
  if (typeof by === "function") return;
  const known = typeof by === "object" && by !== null ? ["label", "annotation", "name", "selector"].filter((key) => key in by) : [];
  if (known.length !== 1) refuse('`by` must be "owner", a function, or an object with exactly one of label, annotation, name and selector');
  const key = "label" in by ? by.label : "annotation" in by ? by.annotation : undefined;
  if (key !== undefined && !isMetadataKey(key))
    refuse(`${JSON.stringify(key)} is no key of a label or an annotation: use a name such as "example.com/owner"`);
  if ("label" in by && isScopeLost)
    refuse(
      `the value of a label cannot name an object of ${primary.kind} with its namespace, and ${watched.kind} has none to share: ${advice}`,
    );
  if ("selector" in by && by.namespaces === "own" && (primary.scope === "Cluster" || watched.scope === "Cluster"))
    refuse(`\`namespaces: "own"\`, but ${primary.scope === "Cluster" ? primary.kind : watched.kind} is cluster-scoped: leave it out`);
}

/** Whether the API server accepts the key: a name, after an optional DNS name and a slash. */
function isMetadataKey(key: string): boolean {
  const parts = key.split("/");
  const name = parts.pop() ?? "";
  const [prefix, ...more] = parts;
  const isName = name.length <= 63 && /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/.test(name);
  return isName && more.length === 0 && (prefix === undefined || /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(prefix));
}

/**
 * Returns whether children of a kind can be cross-namespace: an owner reference cannot point from one namespace to another, nor from a
 * cluster-scoped object to a namespaced one.
 */
export function canBeCrossNamespace(parent: KindInfo, child: KindInfo): boolean {
  return parent.scope === "Namespaced" && (child.scope === "Cluster" || isElsewhere(child));
}
