import { type View, writesThrough } from "../cache/index.ts";
import type { Client } from "../client/index.ts";
import { aborter } from "../queue/index.ts";
import { announcing } from "./announcing.ts";
import type { Controller } from "./controller.ts";
import type { Live } from "./decide.ts";
import type { Logger } from "./logger.ts";
import { keyOf, located } from "./names.ts";
import type { Announce } from "./options.ts";
import type { Plant } from "./plant.ts";
import { runClient } from "./run-client.ts";
import { persist } from "./source.ts";

interface Pack {
  readonly abort: AbortController;
  readonly ended: Promise<unknown>;
}

export interface DaemonTools {
  readonly controller: Controller;
  readonly plant: Plant;
  readonly primary: View<any>;
  readonly wake: (key: string, source: string) => void;
}

/**
 * What runs beside objects: begun with the first look at an object, ended with its life. A daemon that throws is started
 * again with backoff, one that returns has ended for good.
 */
export function daemons(tools: DaemonTools) {
  const { controller, plant } = tools;
  const packs = new Map<string, Pack>();
  const { clock, random } = plant;

  const begin = (object: Live): Pack => {
    const abort = aborter();
    const running = Object.entries(controller.daemons).map(([daemon, work]) => {
      const beside = new Beside(tools, object, abort.signal, daemon);
      const failed = (error: unknown) => beside.log.error("a daemon failed and is started again", { error });
      return persist({ clock, random, signal: abort.signal, failed }, async () => void (await work(beside)));
    });
    return { abort, ended: Promise.all(running) };
  };
  const dismissed = async (uid: string, why: string): Promise<boolean> => {
    const pack = packs.get(uid);
    if (pack === undefined) return true;
    pack.abort.abort(new Error(why));
    const waited = aborter();
    const late = clock.sleep(controller.daemonGrace, waited.signal).then(
      () => false,
      () => true,
    );
    const inTime = await Promise.race([pack.ended.then(() => true), late]);
    waited.abort();
    packs.delete(uid);
    return inTime;
  };

  return {
    /** Sees to it that the object's daemons run. */
    tend(object: Live): void {
      if (Object.keys(controller.daemons).length === 0 || packs.has(object.metadata.uid)) return;
      packs.set(object.metadata.uid, begin(object));
    },
    /** Ends those of one object; false when they have not ended within the grace. */
    dismiss: (uid: string) => dismissed(uid, "the object is no longer there to be tended"),
    /** Ends all of them: this process does not act any more. */
    async dismissAll(): Promise<void> {
      await Promise.all([...packs.keys()].map((uid) => dismissed(uid, "this process does not act any more")));
    },
  };
}
export type Daemons = ReturnType<typeof daemons>;

/** What one daemon of one object is given. There may be thousands: what most never use is made when it is asked for. */
class Beside {
  readonly signal: AbortSignal;
  readonly #tools: DaemonTools;
  readonly #first: Live;
  readonly #daemon: string;
  #log: Logger | undefined;

  constructor(tools: DaemonTools, first: Live, signal: AbortSignal, daemon: string) {
    this.#tools = tools;
    this.#first = first;
    this.#daemon = daemon;
    this.signal = signal;
    this.wake = this.wake.bind(this);
    this.event = this.event.bind(this);
  }
  get object(): Live {
    const { name, namespace, uid } = this.#first.metadata;
    const known = this.#tools.primary.get({ name, namespace }) as Live | undefined;
    return known?.metadata.uid === uid ? known : this.#first;
  }
  get client(): Client {
    const { plant, controller } = this.#tools;
    const through = writesThrough(plant.client, plant.cache);
    return runClient(through, { signal: this.signal, fieldManager: controller.name, gate: plant.gate });
  }
  get log(): Logger {
    const { plant, controller } = this.#tools;
    this.#log ??= plant.logger.with({ controller: controller.name, object: located(this.#first.metadata), daemon: this.#daemon });
    return this.#log;
  }
  event(...said: Parameters<Announce>): void {
    announcing(this.#tools.controller, this.#tools.plant, this.object)(...said);
  }
  wake(): void {
    this.#tools.wake(keyOf(this.#first.metadata), this.#daemon);
  }
}
