import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Client } from "../client/index.ts";
import { type Controller, type Logger, milliseconds, type Operation } from "../controller/index.ts";
import type { Clock, Random } from "../queue/index.ts";
import { elector, type Mandate } from "./elector.ts";
import type { LeaderElection } from "./options.ts";

export interface Leadership {
  /** Throws when nothing may be written. */
  gate(): void;
  readonly leading: boolean;
  /** Lets the operations work when and as long as they may. Rejects when the lease is lost and that is to be the end. */
  lead(operations: readonly Operation[], heard: (lease: string, leads: boolean) => void): Promise<void>;
  /** After the last work has ended. */
  stop(): Promise<void>;
}

/** Without an election: everything may act at once, for ever. */
export const unopposed: Leadership = {
  gate() {},
  leading: true,
  async lead(operations) {
    for (const operation of operations) operation.start();
  },
  async stop() {},
};

const LONGEST_NAME = 253;

export interface CandidateOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly controllers: readonly Controller[];
}

/** Several processes may run; one of them acts. The others keep their caches warm. */
export function candidate(election: LeaderElection, { client, clock, random, logger, controllers }: CandidateOptions): Leadership {
  const { lease = "15s", renew = "10s", retry = "2s" } = election;
  const name =
    election.name ??
    controllers
      .map((controller) => controller.name)
      .join("-")
      .toLowerCase()
      .slice(0, LONGEST_NAME);
  const made = elector({
    client,
    clock,
    random,
    logger,
    name,
    namespace: election.namespace ?? client.namespace,
    identity: election.identity ?? `${hostname()}_${randomUUID()}`,
    timings: { lease: milliseconds(lease), renew: milliseconds(renew), retry: milliseconds(retry) },
  });
  return {
    gate: () => made.gate(),
    get leading() {
      return made.leading;
    },
    stop: () => made.stop(),
    lead: (operations, heard) =>
      new Promise((resolve, reject) => {
        const mandate: Mandate = {
          taken() {
            heard(name, true);
            for (const operation of operations) operation.start();
          },
          async lost(why) {
            heard(name, false);
            if (election.exitOnLoss === true) reject(new Error(`the lease was lost: ${why}`));
            // Nothing may be finished any more: requests are ended at once.
            await Promise.all(operations.map((operation) => operation.pause(0)));
          },
        };
        made.campaign(mandate).then(resolve, reject);
      }),
  };
}
