import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Client } from "../../client/index.ts";
import type { Clock, Random } from "../../clock/index.ts";
import { type Controller, durationToMilliseconds, type Logger, type RunningController } from "../../controller/index.ts";
import { PintleError, runInBackground } from "../../errors/index.ts";
import { DEFAULTS } from "../defaults.ts";
import type { LeaderElectionOptions } from "../options.ts";
import { startElectorThread } from "./elector-thread.ts";
import { createLeaderElector, type LeaderCallbacks, type LeaderElector } from "./leader-elector.ts";

/** Whether and when this process may write. */
export interface Leadership {
  /** The write gate: throws `NotLeading` when this process must not write. */
  writeGate(): void;
  readonly isLeading: boolean;
  /** Starts and pauses the workers as the lease is acquired and lost. Rejects if the lease is lost with `exitOnLoss`. */
  runWhileLeading(controllers: readonly RunningController[], onLeadingChange: (lease: string, leads: boolean) => void): Promise<void>;
  /** Releases the lease. To be called after the workers have stopped. */
  stop(): Promise<void>;
}

/** Without leader election. */
export const ALWAYS_LEADING: Leadership = {
  writeGate() {},
  isLeading: true,
  async runWhileLeading(controllers) {
    for (const controller of controllers) controller.startWorkers();
  },
  async stop() {},
};

const MAX_LEASE_NAME_LENGTH = 253;

/** Returns the name of the Lease: the one that is set, else the names of the controllers. */
export function getLeaseName(election: Pick<LeaderElectionOptions, "name">, controllers: readonly Pick<Controller, "name">[]): string {
  const joinedNames = controllers.map((controller) => controller.name).join("-");
  return election.name ?? joinedNames.toLowerCase().slice(0, MAX_LEASE_NAME_LENGTH);
}

export interface LeadershipOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly controllers: readonly Controller[];
  /** How a worker thread connects; `undefined`: the elector runs on the main thread. */
  readonly thread?: { readonly kubeconfig: string | undefined } | undefined;
}

/** Creates the leadership of a process with leader election. Processes that do not lead keep their caches synced. */
export async function createLeadership(election: LeaderElectionOptions, options: LeadershipOptions): Promise<Leadership> {
  const { controllers, logger } = options;
  const name = getLeaseName(election, controllers);
  const elector = await createElector(election, name, options);
  logger.debug("Attempting to acquire leader lease", { lease: name });
  return {
    writeGate: () => elector.writeGate(),
    get isLeading() {
      return elector.isLeading;
    },
    stop: () => elector.stop(),
    runWhileLeading: (running, onLeadingChange) =>
      new Promise((resolve, reject) => {
        const callbacks: LeaderCallbacks = {
          onStartedLeading() {
            onLeadingChange(name, true);
            for (const controller of running) controller.startWorkers();
          },
          async onStoppedLeading(reason) {
            onLeadingChange(name, false);
            if (election.exitOnLoss === true) reject(new PintleError("PINTLE4006", `the lease was lost: ${reason}`));
            // No grace period: requests are aborted at once.
            await Promise.all(running.map((controller) => controller.pauseWorkers(0)));
          },
        };
        runInBackground(elector.run(callbacks).then(resolve), reject);
      }),
  };
}

/** Creates the elector in a worker thread where possible, else on the main thread. */
async function createElector(
  election: LeaderElectionOptions,
  name: string,
  { client, clock, random, logger, thread }: LeadershipOptions,
): Promise<LeaderElector> {
  const {
    leaseDuration = DEFAULTS.leaseDuration,
    renewDeadline = DEFAULTS.renewDeadline,
    retryPeriod = DEFAULTS.retryPeriod,
    stallTimeout = DEFAULTS.stallTimeout,
  } = election;
  const timings = {
    leaseDuration: durationToMilliseconds(leaseDuration),
    renewDeadline: durationToMilliseconds(renewDeadline),
    retryPeriod: durationToMilliseconds(retryPeriod),
  };
  const identity = election.identity ?? `${process.env["POD_NAME"] ?? hostname()}_${randomUUID()}`;
  const { namespace } = election;
  if (thread !== undefined) {
    try {
      return await startElectorThread(
        { kubeconfig: thread.kubeconfig, name, namespace, identity, timings, stallTimeout: durationToMilliseconds(stallTimeout) },
        logger,
      );
    } catch (error) {
      logger.warn("Leader election runs on the main thread: a reconcile that blocks the event loop can lose the lease", { error });
    }
  }
  return createLeaderElector({ client, clock, random, logger, name, namespace: namespace ?? client.namespace, identity, timings });
}
