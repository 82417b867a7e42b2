import type { Client } from "pintle/client";
import type { Clock, Random } from "pintle/internal/clock";
import type { Logger } from "pintle/internal/controller";
import { PintleError, runInBackground } from "pintle/internal/errors";
import { createLeaderElector, type LeaseTimings } from "pintle/internal/manager";

/**
 * The leases of catalogd and operator-controller, in the order in which they are acquired: a process that holds both is the only one that writes, whichever
 * programs run beside it.
 */
export const LEASE_NAMES: readonly string[] = ["catalogd-operator-lock", "9c4404e7.operatorframework.io"];

/** The timings of upstream: an API server may be away for a minute without a change of leader. */
export const UPSTREAM_TIMINGS: LeaseTimings = { leaseDuration: 137_000, renewDeadline: 107_000, retryPeriod: 26_000 };

/** What leases are acquired with. */
export interface LeaseOptions {
  /** A client whose writes pass no write gate. */
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly namespace: string;
  readonly identity: string;
  readonly timings: LeaseTimings;
}

/** Both leases. */
export interface Leases {
  /** Resolves once all leases are held; never if `release` is called before. */
  readonly acquired: Promise<void>;
  /** Rejects when one is lost. */
  readonly lost: Promise<never>;
  /** Throws when no write may be sent. */
  writeGate(): void;
  /** Gives the leases back. To be called after the last write. */
  release(): Promise<void>;
}

/** Begins to acquire the leases. */
export function acquireLeases({ namespace, identity, ...deps }: LeaseOptions): Leases {
  const electors = LEASE_NAMES.map((name) => createLeaderElector({ ...deps, name, namespace, identity }));
  let fail = (_: unknown) => {};
  const lost = new Promise<never>((_, reject) => {
    fail = reject;
  });
  let endWaits = () => {};
  // A lease that was lost is not acquired again: the process ends, as a program of controller-runtime does.
  const released = new Promise<void>((resolve) => {
    endWaits = resolve;
  });
  const acquire = (index: number, onAcquired: () => void): void => {
    const elector = electors[index];
    if (elector === undefined) {
      onAcquired();
      return;
    }
    const campaign = elector.run({
      onStartedLeading: () => acquire(index + 1, onAcquired),
      onStoppedLeading(reason) {
        fail(new PintleError("PINTLE4006", `the lease ${LEASE_NAMES[index]} was lost: ${reason}`));
        return released;
      },
    });
    runInBackground(campaign, fail);
  };
  return {
    acquired: new Promise((resolve) => acquire(0, resolve)),
    lost,
    writeGate() {
      for (const elector of electors) elector.writeGate();
    },
    async release() {
      endWaits();
      for (const elector of electors.toReversed()) await elector.stop();
    },
  };
}
