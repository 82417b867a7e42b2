import type { Cache, View } from "pintle/cache";
import type { Client } from "pintle/client";
import type { Clock, Queue, Random } from "pintle/queue";
import type { Announcer } from "./events/recorder.ts";

/** What every part of the control plane works with. The client's writes are seen by the cache at once. */
export interface Plant {
  readonly client: Client;
  readonly cache: Cache;
  readonly clock: Clock;
  readonly random: Random;
  readonly events: Announcer;
  /** The certificate whoever talks to this cluster should trust, as PEM. */
  readonly authority: string;
}

/** One running part: a controller, the scheduler, a node. */
export interface Part {
  readonly name: string;
  /** Resolves when it has seen everything there is and acts on changes. */
  readonly ready: Promise<void>;
  /** Finishes what runs and lets go of every watch. */
  stop(): Promise<void>;
}

/** A part that works through a queue once its views have been listed. */
export function queued(name: string, work: Queue, views: readonly View<any>[]): Part {
  return {
    name,
    ready: Promise.all(views.map((view) => view.synced())).then(() => work.start()),
    async stop() {
      await work.stop();
      await Promise.all(views.map((view) => view.close()));
    },
  };
}

/** Several parts that are switched on and off as one. */
export function together(name: string, parts: readonly Part[]): Part {
  return {
    name,
    ready: Promise.all(parts.map((part) => part.ready)).then(() => {}),
    async stop() {
      await Promise.all(parts.map((part) => part.stop()));
    },
  };
}
