import { AlreadyExists, type Client, Conflict, NotFound } from "../client/index.ts";
import type { Logger } from "../controller/index.ts";
import { Lease } from "../kinds/generated/coordination/v1.ts";
import { microTime } from "../kinds/index.ts";
import { canonical } from "../merge/index.ts";
import type { Clock, Random } from "../queue/index.ts";

export interface Timings {
  /** Others wait this long after the last sign of life before they take over. */
  readonly lease: number;
  /** The leader gives up when it could not renew for this long. */
  readonly renew: number;
  readonly retry: number;
}
export const TIMINGS: Timings = { lease: 15_000, renew: 10_000, retry: 2_000 };

export interface ElectorOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly name: string;
  readonly namespace: string;
  /** Different for every process that ever runs. */
  readonly identity: string;
  readonly timings?: Timings | undefined;
}

/** Work that may only be done by one. */
export interface Mandate {
  /** Called when this process leads. */
  taken(): void;
  /** Called when it must not act any more; what runs has to be ended. Leading is not tried again before it resolves. */
  lost(why: string): Promise<void>;
}

interface Held {
  readonly record: NonNullable<Lease["spec"]>;
  readonly resourceVersion: string;
}

export class NotLeading extends Error {
  override readonly name = "NotLeading";
}

/**
 * Holds a Lease, or waits for it.
 *
 * Guarantees: whether another holder is alive is judged by how long, on our own clock, its record has not changed, so clocks
 * may differ; `mayAct` is false from the moment at which others may believe us gone, measured from the start of the last
 * successful renewal. A request that is already on the wire at that moment cannot be taken back: the time between `renew` and
 * `lease` is there for it.
 */
export function elector(options: ElectorOptions) {
  const { client, clock, random, logger, name, namespace, identity } = options;
  const timings = checked(options.timings ?? TIMINGS);
  const ref = { name, namespace };
  const abort = new AbortController();
  let held: Held | undefined;
  let deadline = Number.NEGATIVE_INFINITY;
  /** What we last saw of somebody else's record, and since when it has not changed. */
  let seen: { readonly text: string; readonly at: number } | undefined;

  const attempt = async (): Promise<boolean> => {
    const started = clock.monotonic();
    const signal = AbortSignal.any([abort.signal]);
    const written = held === undefined ? await takeOver(signal) : await write(held.record, held.resourceVersion, signal);
    if (written === undefined) return false;
    held = written;
    deadline = started + timings.renew;
    return true;
  };
  const takeOver = async (signal: AbortSignal): Promise<Held | undefined> => {
    const lease = await client.find(Lease, ref, { signal });
    if (lease === undefined) {
      const made = await client.create(Lease, { metadata: ref, spec: next(undefined) }, { signal });
      return { record: made.spec ?? {}, resourceVersion: made.metadata.resourceVersion };
    }
    const record = lease.spec ?? {};
    const text = canonical(record);
    if (seen?.text !== text) seen = { text, at: clock.monotonic() };
    const holder = record.holderIdentity ?? "";
    const alive = clock.monotonic() < seen.at + (record.leaseDurationSeconds ?? 0) * 1000;
    if (holder !== "" && holder !== identity && alive) return undefined;
    return write(record, lease.metadata.resourceVersion, signal);
  };
  const write = async (record: Held["record"], resourceVersion: string, signal: AbortSignal): Promise<Held> => {
    const made = await client.replace(Lease, { metadata: { ...ref, resourceVersion }, spec: next(record) }, { signal });
    return { record: made.spec ?? {}, resourceVersion: made.metadata.resourceVersion };
  };
  const next = (record: Held["record"] | undefined) => {
    const now = microTime(new Date(clock.now()));
    const ours = record?.holderIdentity === identity;
    return {
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(timings.lease / 1000),
      acquireTime: ours ? (record.acquireTime ?? now) : now,
      renewTime: now,
      leaseTransitions: (record?.leaseTransitions ?? 0) + (ours || record === undefined ? 0 : 1),
    };
  };
  const tryOnce = async (): Promise<boolean> => {
    try {
      return await attempt();
    } catch (error) {
      if (abort.signal.aborted) return false;
      // Somebody else wrote it: look again before the next attempt.
      if (error instanceof Conflict || error instanceof AlreadyExists || error instanceof NotFound) held = undefined;
      else logger.warn("the lease could not be written", { lease: `${namespace}/${name}`, error });
      return false;
    }
  };
  const pause = (ms: number) => clock.sleep(ms, abort.signal).catch(() => {});

  return {
    identity,
    /** Leads while it can, and tries again when it has lost; until `stop`. */
    async campaign(mandate: Mandate): Promise<void> {
      while (!abort.signal.aborted) {
        if (!(await tryOnce())) {
          await pause(timings.retry * (1 + 0.2 * random()));
          continue;
        }
        logger.info("leading", { lease: `${namespace}/${name}`, identity });
        mandate.taken();
        const why = await keep();
        if (abort.signal.aborted) return;
        deadline = Number.NEGATIVE_INFINITY;
        logger.warn("no longer leading", { lease: `${namespace}/${name}`, why });
        await mandate.lost(why);
        held = undefined;
      }
    },
    /** May a request start now? */
    get mayAct(): boolean {
      return clock.monotonic() < deadline;
    },
    /** Throws when it may not. */
    gate(): void {
      if (clock.monotonic() >= deadline) throw new NotLeading(`not leading: the lease ${namespace}/${name} was not renewed in time`);
    },
    /** Ends the campaign and hands the lease over. To be called when the last work has ended. */
    async stop(): Promise<void> {
      abort.abort(new Error("the campaign is over"));
      const last = held;
      const leading = clock.monotonic() < deadline;
      deadline = Number.NEGATIVE_INFINITY;
      if (last === undefined || !leading) return;
      const spec = { ...last.record, holderIdentity: "", leaseDurationSeconds: 1, renewTime: microTime(new Date(clock.now())) };
      try {
        await client.replace(Lease, { metadata: { ...ref, resourceVersion: last.resourceVersion }, spec });
      } catch (error) {
        logger.debug("the lease could not be handed over; it will run out", { error });
      }
    },
  };

  /** Renews until that has failed for too long; says why it ended. */
  async function keep(): Promise<string> {
    while (!abort.signal.aborted) {
      await pause(timings.retry);
      if (abort.signal.aborted) break;
      if (clock.monotonic() >= deadline) return `it was not renewed for ${timings.renew / 1000} s`;
      const before = held;
      const renewed = await Promise.race([tryOnce(), clock.sleep(Math.max(0, deadline - clock.monotonic()), abort.signal).catch(() => {})]);
      if (renewed === undefined && !abort.signal.aborted) return `it was not renewed for ${timings.renew / 1000} s`;
      if (before !== undefined && held === undefined) {
        // Another write came in between: ours only if the record still names us.
        if (await tryOnce()) continue;
        if (held === undefined && clock.monotonic() < deadline) return "somebody else has taken it";
      }
    }
    return "the manager stops";
  }
}
export type Elector = ReturnType<typeof elector>;

function checked(timings: Timings): Timings {
  const { lease, renew, retry } = timings;
  if (lease <= renew || renew <= retry * 1.2)
    throw new TypeError(`leader election: the lease (${lease} ms) must be longer than the renewal deadline (${renew} ms), and that longer than 1.2 retries (${retry} ms)`);
  return timings;
}
