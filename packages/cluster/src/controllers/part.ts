import type { Cache } from "pintle/cache";
import type { Client } from "pintle/client";
import type { Clock, Random } from "pintle/queue";

/** What every part of the control plane works with. The client's writes are seen by the cache at once. */
export interface Plant {
  readonly client: Client;
  readonly cache: Cache;
  readonly clock: Clock;
  readonly random: Random;
}

/** One running part: a controller, the scheduler, a node. */
export interface Part {
  readonly name: string;
  /** Resolves when it has seen everything there is and acts on changes. */
  readonly ready: Promise<void>;
  /** Finishes what runs and lets go of every watch. */
  stop(): Promise<void>;
}
