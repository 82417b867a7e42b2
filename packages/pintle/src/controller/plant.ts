import type { Cache } from "../cache/index.ts";
import type { Client } from "../client/index.ts";
import type { KindFacts, Metadata } from "../kinds/index.ts";
import type { Clock, Item, QueueObserver, Random } from "../queue/index.ts";
import type { Logger } from "./logger.ts";
import type { Plan } from "./plan.ts";

/** What a controller runs on. Everything is given; nothing is global. */
export interface Plant {
  readonly client: Client;
  readonly cache: Cache;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly recorder: Recorder;
  readonly observer: ControllerObserver;
  /** Objects reconciled at the same time, where the controller does not say. */
  readonly concurrency: number;
  /** Throws when nothing may be written any more, for example because the lease is lost. */
  readonly gate: () => void;
  /** Runs work inside a span of whatever tracing there is. */
  readonly trace: <T>(name: string, attributes: Readonly<Record<string, string | number>>, work: () => Promise<T>) => Promise<T>;
  /** Kinds that somebody follows without a selector: nobody else needs a narrower stream of them. */
  readonly whole: ReadonlySet<string>;
}

/** Writes Kubernetes Events. */
export interface Recorder {
  announce(event: Announcement): void;
}
export interface Announcement {
  readonly controller: string;
  readonly kind: KindFacts;
  readonly object: { readonly metadata: Metadata };
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}

/** What a metrics registry hears of a controller. */
export interface ControllerObserver {
  queue?(controller: string): QueueObserver;
  reconciled?(controller: string, item: Item, result: Result, took: number, error: unknown): void;
  planned?(controller: string, plan: Plan): void;
  timedOut?(controller: string): void;
  mapFailed?(controller: string, source: string): void;
}
export type Result = "success" | "requeue_after" | "error" | "terminal";
