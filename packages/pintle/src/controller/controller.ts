import type { Need } from "../client/index.ts";
import type { AnyKind, IdOf, KindFacts } from "../kinds/index.ts";
import { type Duration, milliseconds } from "./duration.ts";
import { isElsewhere } from "./elsewhere.ts";
import type { Grant } from "./grants.ts";
import { PREFIX } from "./names.ts";
import type { By, Filter, ObjectName, Options, Ownable, Told } from "./options.ts";

/** A controller as a value: what it declares and the functions it runs. Nothing happens before `run()`. */
export interface Controller<Id extends string = string> {
  readonly kind: KindFacts<Id>;
  readonly name: string;
  readonly owns: readonly KindFacts[];
  readonly formerly: readonly KindFacts[];
  readonly watches: {
    readonly [name: string]: { readonly kind: KindFacts; readonly by: By<any, any>; readonly when?: Filter<any> | undefined };
  };
  readonly needs: readonly (Need<string, string> | Grant)[];
  readonly when: Filter<any> | undefined;
  readonly daemons: { readonly [name: string]: (daemon: any) => unknown };
  /** Milliseconds. */
  readonly daemonGrace: number;
  readonly sources: { readonly [name: string]: (signal: AbortSignal) => AsyncIterable<ObjectName> };
  readonly metrics: Told | undefined;
  readonly concurrency: number | undefined;
  readonly timeout: number | undefined;
  readonly resync: number | undefined;
  /** The finalizer it puts on its objects; undefined when it needs none. */
  readonly finalizer: string | undefined;
  readonly reconcile: (context: any) => unknown;
  readonly finalize: ((context: any) => unknown) | undefined;
}

const DAEMON_GRACE = "10s";

/** One reconcile function for one kind, and everything it touches. */
export function controller<
  R extends AnyKind,
  const O extends readonly Ownable[] = readonly [],
  // biome-ignore lint/complexity/noBannedTypes: no watches at all, so `related` has no fields
  W extends { readonly [name: string]: Ownable } = {},
  const N extends readonly (Need<string, string> | Grant)[] = readonly [],
>(kind: R, options: Options<R, O, W, N>): Controller<IdOf<R>> {
  const name = options.name ?? kind.kind.toLowerCase();
  if (!/^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/.test(name))
    throw new TypeError(`controller name ${JSON.stringify(name)}: use letters, digits, "-", "_" and ".", at most 63`);
  const owns = options.owns ?? [];
  const twice = owns.find((one, i) => owns.findIndex((other) => other.id === one.id) !== i);
  if (twice !== undefined) throw new TypeError(`controller ${name}: ${twice.id} is listed twice in \`owns\``);
  const daemons = options.daemons ?? {};
  const lastWord = options.finalize !== undefined || Object.keys(daemons).length > 0 || owns.some((child) => isApart(kind, child));
  const finalizer = lastWord ? `${PREFIX}/${name}` : undefined;
  const time = (duration: Duration | undefined) => (duration === undefined ? undefined : milliseconds(duration));
  return Object.freeze({
    kind,
    name,
    owns,
    formerly: options.formerly ?? [],
    watches: options.watches ?? {},
    needs: options.needs ?? [],
    when: options.when,
    daemons,
    daemonGrace: milliseconds(options.daemonGrace ?? DAEMON_GRACE),
    sources: options.sources ?? {},
    metrics: options.metrics,
    concurrency: options.concurrency,
    timeout: time(options.timeout),
    resync: time(options.resync),
    finalizer,
    reconcile: options.reconcile,
    finalize: options.finalize,
  }) as unknown as Controller<IdOf<R>>;
}

/** Owner references do not reach from a namespaced object to one that is in another namespace or in none. */
export function isApart(parent: KindFacts, child: KindFacts): boolean {
  return parent.scope === "Namespaced" && (child.scope === "Cluster" || isElsewhere(child));
}
