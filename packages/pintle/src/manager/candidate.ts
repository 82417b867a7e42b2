import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Client } from "../client/index.ts";
import { type Controller, type Logger, milliseconds, type Operation } from "../controller/index.ts";
import type { Clock, Random } from "../queue/index.ts";
import { type Elector, elector, type Mandate } from "./elector.ts";
import { electorThread } from "./elector-thread.ts";
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
  /** How a thread of its own would connect; undefined where only this one can. */
  readonly thread?: { readonly kubeconfig: string | undefined } | undefined;
}

/** Several processes may run; one of them acts. The others keep their caches warm. */
export async function candidate(election: LeaderElection, options: CandidateOptions): Promise<Leadership> {
  const { controllers, logger } = options;
  const joined = controllers.map((controller) => controller.name).join("-");
  const name = election.name ?? joined.toLowerCase().slice(0, LONGEST_NAME);
  const made = await electorFor(election, name, options);
  logger.debug("standing for election", { lease: name });
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

/** In a thread where we know how to connect from there, else here. */
async function electorFor(
  election: LeaderElection,
  name: string,
  { client, clock, random, logger, thread }: CandidateOptions,
): Promise<Elector> {
  const { lease = "15s", renew = "10s", retry = "2s", stall = "30s" } = election;
  const timings = { lease: milliseconds(lease), renew: milliseconds(renew), retry: milliseconds(retry) };
  const identity = election.identity ?? `${process.env["POD_NAME"] ?? hostname()}_${randomUUID()}`;
  const { namespace } = election;
  if (thread !== undefined) {
    try {
      return await electorThread({ kubeconfig: thread.kubeconfig, name, namespace, identity, timings, stall: milliseconds(stall) }, logger);
    } catch (error) {
      logger.warn("the lease is renewed by the main thread: a reconcile that blocks it may lose the lease", { error });
    }
  }
  return elector({ client, clock, random, logger, name, namespace: namespace ?? client.namespace, identity, timings });
}
