import { AlreadyExists, type Client, Conflict, NotFound } from "../../client/index.ts";
import { type Clock, createAbortController, type Random } from "../../clock/index.ts";
import { InvalidUsage, type Logger, NotLeading } from "../../controller/index.ts";
import { PintleError } from "../../errors/index.ts";
import { Lease } from "../../kinds/generated/coordination/v1.ts";
import { formatMicroTime } from "../../kinds/index.ts";
import { canonicalJson } from "../../merge/index.ts";

/** Timings of a lease in milliseconds, named as in client-go. */
export interface LeaseTimings {
  /** How long other candidates wait after the last renewal before they take over. */
  readonly leaseDuration: number;
  /** How long the leader may fail to renew before it stops. */
  readonly renewDeadline: number;
  /** Interval between attempts to acquire or renew. */
  readonly retryPeriod: number;
}
/** How long the release of the lease may take; after that the lease expires by itself. */
const RELEASE_TIMEOUT_MS = 2_000;

export interface LeaderElectorOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly name: string;
  readonly namespace: string;
  /** Unique for every process that ever runs. */
  readonly identity: string;
  readonly timings: LeaseTimings;
  /** Returns false if the event loop of the workers is blocked: the lease is then not renewed. Default: always true. */
  readonly isAlive?: (() => boolean) | undefined;
  /** Called with the time, on the monotonic clock, until which writes may be sent. */
  readonly onDeadlineChange?: ((deadline: number) => void) | undefined;
}

/** Holds a lease, in this thread or another one. */
export interface LeaderElector {
  /** Acquires and renews the lease, and acquires it again after a loss, until `stop`. */
  run(callbacks: LeaderCallbacks): Promise<void>;
  readonly isLeading: boolean;
  /** Throws `NotLeading` when no write may be sent. */
  writeGate(): void;
  /** Stops renewing and releases the lease. To be called after the workers have stopped. */
  stop(): Promise<void>;
}

/** Callbacks, named as in client-go. */
export interface LeaderCallbacks {
  /** The lease was acquired. */
  onStartedLeading(): void;
  /** The lease was lost: workers must stop. The lease is not acquired again before this resolves. */
  onStoppedLeading(reason: string): Promise<void>;
}

type LeaseRecord = NonNullable<Lease["spec"]>;
type AcquireResult = "acquired" | "heldByOther" | "failed";

/**
 * Creates a leader elector on a Lease.
 *
 * ## Guarantees
 *
 * - Another holder counts as dead only after its record has not changed for `leaseDuration` on the local monotonic clock: wall clocks may differ.
 * - `writeGate` throws from `renewDeadline` after the start of the last successful renewal, which is before another candidate can take over.
 *
 * ## Caveats
 *
 * - A request already on the wire at that moment cannot be recalled: the time between `renewDeadline` and `leaseDuration` is for it.
 */
export function createLeaderElector(options: LeaderElectorOptions): LeaderElector {
  const { client, clock, random, logger, name, namespace, identity } = options;
  const timings = validateTimings(options.timings);
  const ref = { name, namespace };
  const abort = createAbortController();
  /** The record of this process, until a conflict shows that another process has written. */
  let ownRecord: { readonly record: LeaseRecord; readonly resourceVersion: string } | undefined;
  /** The record of another holder, and since when it has not changed. */
  let observedRecord: { readonly text: string; readonly at: number } | undefined;
  let deadline = Number.NEGATIVE_INFINITY;
  const setDeadline = (to: number) => {
    deadline = to;
    options.onDeadlineChange?.(to);
  };
  let running: Promise<void> | undefined;

  const nextRecord = (record: LeaseRecord | undefined): LeaseRecord => {
    const now = formatMicroTime(new Date(clock.now()));
    const isRenewal = record?.holderIdentity === identity;
    return {
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(timings.leaseDuration / 1000),
      acquireTime: isRenewal ? (record.acquireTime ?? now) : now,
      renewTime: now,
      leaseTransitions: (record?.leaseTransitions ?? 0) + (isRenewal || record === undefined ? 0 : 1),
    };
  };
  const acceptRecord = ({ spec, metadata }: Lease, started: number): AcquireResult => {
    ownRecord = { record: spec ?? {}, resourceVersion: metadata.resourceVersion };
    setDeadline(started + timings.renewDeadline);
    return "acquired";
  };
  const replace = async (record: LeaseRecord, resourceVersion: string, started: number, signal: AbortSignal) =>
    acceptRecord(await client.replace(Lease, { metadata: { ...ref, resourceVersion }, spec: nextRecord(record) }, { signal }), started);

  /** One attempt: replaces the known own record, or reads the Lease first. */
  const tryAcquireOrRenew = async (signal: AbortSignal): Promise<AcquireResult> => {
    const started = clock.monotonic();
    if (options.isAlive?.() === false) throw new PintleError("PINTLE4012", "the event loop is blocked");
    if (ownRecord !== undefined) return replace(ownRecord.record, ownRecord.resourceVersion, started, signal);
    const lease = await client.find(Lease, ref, { signal });
    if (lease === undefined)
      return acceptRecord(await client.create(Lease, { metadata: ref, spec: nextRecord(undefined) }, { signal }), started);
    const record = lease.spec ?? {};
    const text = canonicalJson(record);
    if (observedRecord?.text !== text) observedRecord = { text, at: clock.monotonic() };
    const isFree = (record.holderIdentity ?? "") === "" || record.holderIdentity === identity;
    const isValid = clock.monotonic() < observedRecord.at + (record.leaseDurationSeconds ?? 0) * 1000;
    return !isFree && isValid ? "heldByOther" : replace(record, lease.metadata.resourceVersion, started, signal);
  };
  /** Like `tryAcquireOrRenew`, with a time limit and without errors. */
  const tryWithTimeout = async (limit: number): Promise<AcquireResult> => {
    const timeout = createAbortController(abort.signal);
    const timer = clock.setTimeout(() => timeout.abort(new Error("no response in time")), limit);
    try {
      return await tryAcquireOrRenew(timeout.signal);
    } catch (error) {
      const isConflict = error instanceof Conflict || error instanceof AlreadyExists || error instanceof NotFound;
      // Another process wrote the Lease: read it before the next attempt.
      if (isConflict) ownRecord = undefined;
      else if (!abort.signal.aborted) logger.warn("Failed to acquire or renew lease", { lease: `${namespace}/${name}`, error });
      return "failed";
    } finally {
      clock.clearTimeout(timer);
      timeout.abort();
    }
  };
  const pause = (ms: number) => clock.sleep(ms, abort.signal).catch(() => {});

  /** Renews the lease until it is lost; returns why. */
  const renewUntilLost = async (): Promise<string> => {
    while (true) {
      await pause(timings.retryPeriod);
      if (abort.signal.aborted) return "the manager stops";
      const left = deadline - clock.monotonic();
      if (left <= 0) return `it was not renewed for ${timings.renewDeadline / 1000} s`;
      let result = await tryWithTimeout(left);
      if (result === "failed" && ownRecord === undefined && clock.monotonic() < deadline)
        result = await tryWithTimeout(deadline - clock.monotonic());
      if (result === "heldByOther") return "another process holds it";
    }
  };
  const campaign = async (callbacks: LeaderCallbacks): Promise<void> => {
    while (!abort.signal.aborted) {
      if ((await tryWithTimeout(timings.renewDeadline)) !== "acquired") {
        // At most one retry period, so that an expired lease is acquired within two of them.
        await pause(timings.retryPeriod * (0.8 + 0.2 * random()));
        continue;
      }
      logger.info("Successfully acquired lease", { lease: `${namespace}/${name}`, identity });
      callbacks.onStartedLeading();
      const reason = await renewUntilLost();
      if (abort.signal.aborted) return;
      setDeadline(Number.NEGATIVE_INFINITY);
      ownRecord = undefined;
      logger.warn("Leader election lost", { lease: `${namespace}/${name}`, reason });
      await callbacks.onStoppedLeading(reason);
    }
  };

  return {
    run(callbacks) {
      running = campaign(callbacks);
      return running;
    },
    get isLeading() {
      return clock.monotonic() < deadline;
    },
    writeGate() {
      if (clock.monotonic() >= deadline) throw new NotLeading(`the lease ${namespace}/${name} is not held, or was not renewed in time`);
    },
    async stop() {
      abort.abort(new Error("leader election has stopped"));
      await running;
      const wasLeading = clock.monotonic() < deadline;
      setDeadline(Number.NEGATIVE_INFINITY);
      if (!wasLeading) return;
      const timeout = createAbortController();
      const timer = clock.setTimeout(
        () => timeout.abort(new Error(`no response within ${RELEASE_TIMEOUT_MS / 1000} s`)),
        RELEASE_TIMEOUT_MS,
      );
      const { signal } = timeout;
      try {
        const { spec, metadata } = await client.get(Lease, ref, { signal });
        if (spec?.holderIdentity !== identity) return;
        const released = { ...spec, holderIdentity: "", leaseDurationSeconds: 1, renewTime: formatMicroTime(new Date(clock.now())) };
        await client.replace(Lease, { metadata: { ...ref, resourceVersion: metadata.resourceVersion }, spec: released }, { signal });
      } catch (error) {
        logger.debug("Failed to release lease, it will expire", { error });
      } finally {
        clock.clearTimeout(timer);
      }
    },
  };
}
function validateTimings(timings: LeaseTimings): LeaseTimings {
  const { leaseDuration, renewDeadline, retryPeriod } = timings;
  if (leaseDuration <= renewDeadline || renewDeadline <= retryPeriod)
    throw new InvalidUsage(
      "PINTLE4005",
      `leader election: the lease (${leaseDuration} ms) must be longer than the renewal deadline (${renewDeadline} ms), and that longer than a retry (${retryPeriod} ms)`,
    );
  return timings;
}
