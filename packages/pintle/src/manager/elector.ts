import { AlreadyExists, type Client, Conflict, NotFound } from "../client/index.ts";
import { type Logger, NotLeading } from "../controller/index.ts";
import { Lease } from "../kinds/generated/coordination/v1.ts";
import { microTime } from "../kinds/index.ts";
import { canonical } from "../merge/index.ts";
import { aborter, type Clock, type Random } from "../queue/index.ts";

export interface Timings {
  /** Others wait this long after the last sign of life before they take over. */
  readonly lease: number;
  /** The leader gives up when it could not renew for this long. */
  readonly renew: number;
  readonly retry: number;
}
const TIMINGS: Timings = { lease: 15_000, renew: 10_000, retry: 2_000 };
/** How long a server that does not answer is waited for before the lease is left to run out. */
const HANDOVER = 2_000;

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
  /** False: whoever does the work does not react any more, so the lease is not renewed for it. */
  readonly alive?: (() => boolean) | undefined;
  /** Hears until when, on the clock, requests may start. */
  readonly moved?: ((deadline: number) => void) | undefined;
}

/** Holds a lease, in this thread or another. */
export interface Elector {
  /** Leads while it can and tries again when it has lost, until `stop`. */
  campaign(mandate: Mandate): Promise<void>;
  readonly leading: boolean;
  /** Throws when no request may start any more. */
  gate(): void;
  /** Ends the campaign and hands the lease over. To be called when the last work has ended. */
  stop(): Promise<void>;
}

/** Work that may only be done by one. */
export interface Mandate {
  /** This process leads. */
  taken(): void;
  /** It must not act any more, and what runs has to end. Leading is not tried again before this resolves. */
  lost(why: string): Promise<void>;
}

type Record = NonNullable<Lease["spec"]>;
type Attempt = "ours" | "theirs" | "failed";

/**
 * Holds a Lease, or waits for it.
 *
 * Guarantees: whether another holder is alive is judged by how long, on our own clock, its record has not changed, so wall
 * clocks may differ; `gate` throws from `renew` after the start of the last successful renewal, which is before anybody else
 * can believe us gone. A request already on the wire at that moment cannot be taken back: the time between `renew` and
 * `lease` is there for it.
 */
export function elector(options: ElectorOptions): Elector {
  const { client, clock, random, logger, name, namespace, identity } = options;
  const timings = checked(options.timings ?? TIMINGS);
  const ref = { name, namespace };
  const abort = aborter();
  /** Our own record, as long as nobody else has written it since. */
  let held: { readonly record: Record; readonly resourceVersion: string } | undefined;
  /** Somebody else's record, and since when it has not changed. */
  let seen: { readonly text: string; readonly at: number } | undefined;
  let deadline = Number.NEGATIVE_INFINITY;
  const move = (to: number) => {
    deadline = to;
    options.moved?.(to);
  };
  let campaigning: Promise<void> | undefined;

  const next = (record: Record | undefined): Record => {
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
  const keepAnswer = ({ spec, metadata }: Lease, started: number): Attempt => {
    held = { record: spec ?? {}, resourceVersion: metadata.resourceVersion };
    move(started + timings.renew);
    return "ours";
  };
  const replace = async (record: Record, resourceVersion: string, started: number, signal: AbortSignal) =>
    keepAnswer(await client.replace(Lease, { metadata: { ...ref, resourceVersion }, spec: next(record) }, { signal }), started);

  /** One try: the fast way where we are the holder, else by looking first. */
  const attempt = async (signal: AbortSignal): Promise<Attempt> => {
    const started = clock.monotonic();
    if (options.alive?.() === false) throw new Error("the event loop has not turned for too long");
    if (held !== undefined) return replace(held.record, held.resourceVersion, started, signal);
    const lease = await client.find(Lease, ref, { signal });
    if (lease === undefined) return keepAnswer(await client.create(Lease, { metadata: ref, spec: next(undefined) }, { signal }), started);
    const record = lease.spec ?? {};
    const text = canonical(record);
    if (seen?.text !== text) seen = { text, at: clock.monotonic() };
    const free = (record.holderIdentity ?? "") === "" || record.holderIdentity === identity;
    const alive = clock.monotonic() < seen.at + (record.leaseDurationSeconds ?? 0) * 1000;
    return !free && alive ? "theirs" : replace(record, lease.metadata.resourceVersion, started, signal);
  };
  /** The same, without errors, and at most for so long. */
  const attemptWithin = async (limit: number): Promise<Attempt> => {
    const timeout = aborter(abort.signal);
    const timer = clock.setTimeout(() => timeout.abort(new Error("no answer in time")), limit);
    try {
      return await attempt(timeout.signal);
    } catch (error) {
      const raced = error instanceof Conflict || error instanceof AlreadyExists || error instanceof NotFound;
      // Somebody else wrote it: look before the next attempt.
      if (raced) held = undefined;
      else if (!abort.signal.aborted) logger.warn("the lease could not be written", { lease: `${namespace}/${name}`, error });
      return "failed";
    } finally {
      clock.clearTimeout(timer);
      timeout.abort();
    }
  };
  const pause = (ms: number) => clock.sleep(ms, abort.signal).catch(() => {});

  /** Renews for as long as that works; says why it ended. */
  const reign = async (): Promise<string> => {
    while (true) {
      await pause(timings.retry);
      if (abort.signal.aborted) return "the manager stops";
      const left = deadline - clock.monotonic();
      if (left <= 0) return `it was not renewed for ${timings.renew / 1000} s`;
      let result = await attemptWithin(left);
      if (result === "failed" && held === undefined && clock.monotonic() < deadline)
        result = await attemptWithin(deadline - clock.monotonic());
      if (result === "theirs") return "somebody else has taken it";
    }
  };
  const campaign = async (mandate: Mandate): Promise<void> => {
    while (!abort.signal.aborted) {
      if ((await attemptWithin(timings.renew)) !== "ours") {
        // Never longer than a retry, so that a lease that ran out is taken within two of them.
        await pause(timings.retry * (0.8 + 0.2 * random()));
        continue;
      }
      logger.info("leading", { lease: `${namespace}/${name}`, identity });
      mandate.taken();
      const why = await reign();
      if (abort.signal.aborted) return;
      move(Number.NEGATIVE_INFINITY);
      held = undefined;
      logger.warn("no longer leading", { lease: `${namespace}/${name}`, why });
      await mandate.lost(why);
    }
  };

  return {
    campaign(mandate) {
      campaigning = campaign(mandate);
      return campaigning;
    },
    get leading() {
      return clock.monotonic() < deadline;
    },
    gate() {
      if (clock.monotonic() >= deadline) throw new NotLeading(`the lease ${namespace}/${name} is not held, or was not renewed in time`);
    },
    async stop() {
      abort.abort(new Error("the campaign is over"));
      await campaigning;
      const led = clock.monotonic() < deadline;
      move(Number.NEGATIVE_INFINITY);
      if (!led) return;
      const patience = aborter();
      const timer = clock.setTimeout(() => patience.abort(new Error(`no answer within ${HANDOVER / 1000} s`)), HANDOVER);
      const { signal } = patience;
      try {
        const { spec, metadata } = await client.get(Lease, ref, { signal });
        if (spec?.holderIdentity !== identity) return;
        const free = { ...spec, holderIdentity: "", leaseDurationSeconds: 1, renewTime: microTime(new Date(clock.now())) };
        await client.replace(Lease, { metadata: { ...ref, resourceVersion: metadata.resourceVersion }, spec: free }, { signal });
      } catch (error) {
        logger.debug("the lease could not be handed over; it will run out by itself", { error });
      } finally {
        clock.clearTimeout(timer);
      }
    },
  };
}
function checked(timings: Timings): Timings {
  const { lease, renew, retry } = timings;
  if (lease <= renew || renew <= retry)
    throw new TypeError(
      `leader election: the lease (${lease} ms) must be longer than the renewal deadline (${renew} ms), and that longer than a retry (${retry} ms)`,
    );
  return timings;
}
