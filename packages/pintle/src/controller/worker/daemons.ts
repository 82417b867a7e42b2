import { type CachedView, createWriteThroughClient } from "../../cache/index.ts";
import type { Client } from "../../client/index.ts";
import { type Clock, createAbortController } from "../../clock/index.ts";
import { runInBackground } from "../../errors/index.ts";
import type { RecordedRun, RunRecorder } from "../../recorder/index.ts";
import type { Controller } from "../declare/controller.ts";
import type { RecordEvent } from "../declare/options.ts";
import type { ControllerDeps } from "../deps.ts";
import type { Logger } from "../logger.ts";
import { formatName, toKey } from "../names.ts";
import type { LiveJsonObject } from "../plan/decide.ts";
import { retryWithBackoff } from "../sources/external-source.ts";
import { createBoundClient } from "./bound-client.ts";
import { createRecordEvent } from "./record-event.ts";
import { recordLog } from "./record-log.ts";

/** The running daemons of one object. */
interface ObjectDaemons {
  readonly abort: AbortController;
  readonly ended: Promise<unknown>;
}

export interface DaemonDeps {
  readonly controller: Controller;
  readonly deps: ControllerDeps;
  readonly primary: CachedView<any>;
  readonly enqueue: (key: string, source: string) => void;
  /** Records the writes of daemons. Default: they are not recorded. */
  readonly runs?: RunRecorder | undefined;
}

/**
 * Creates the daemons of a controller. They start with the first reconcile pass of an object and stop when it is deleted or paused. A daemon
 * that throws is restarted with backoff; one that returns is not.
 */
export function createDaemons(daemonDeps: DaemonDeps) {
  const { controller, deps } = daemonDeps;
  const byUid = new Map<string, ObjectDaemons>();
  const { clock, random } = deps;

  const startDaemons = (object: LiveJsonObject): ObjectDaemons => {
    const abort = createAbortController();
    const running = Object.entries(controller.daemons).map(([name, daemon]) => {
      const context = new ObjectDaemonContext(daemonDeps, object, abort.signal, name);
      const onError = (error: unknown) => context.log.error("Daemon failed, restarting with backoff", { error });
      return retryWithBackoff({ clock, random, signal: abort.signal, onError }, async () => void (await daemon(context)));
    });
    const ended = Promise.all(running);
    runInBackground(ended);
    return { abort, ended };
  };
  const stopDaemons = async (uid: string, reason: string): Promise<boolean> => {
    const daemons = byUid.get(uid);
    if (daemons === undefined) return true;
    daemons.abort.abort(new Error(reason));
    const waited = createAbortController();
    const timeout = clock.sleep(controller.daemonGrace, waited.signal).then(
      () => false,
      () => true,
    );
    const isInTime = await Promise.race([daemons.ended.then(() => true), timeout]);
    waited.abort();
    byUid.delete(uid);
    return isInTime;
  };

  return {
    /** Starts the daemons of an object, unless they are running. */
    ensureRunning(object: LiveJsonObject): void {
      if (Object.keys(controller.daemons).length === 0 || byUid.has(object.metadata.uid)) return;
      byUid.set(object.metadata.uid, startDaemons(object));
    },
    /** Stops the daemons of an object. Resolves to false if they did not end within the grace period. */
    stopFor: (uid: string) => stopDaemons(uid, "the object is deleted or paused"),
    /** Stops the daemons of all objects: this process stops or no longer leads. */
    async stopAll(): Promise<void> {
      await Promise.all([...byUid.keys()].map((uid) => stopDaemons(uid, "this process stops or no longer leads")));
    },
  };
}
export type Daemons = ReturnType<typeof createDaemons>;

/** The context of one daemon of one object. There can be thousands: client and logger are created on first use. */
class ObjectDaemonContext {
  readonly signal: AbortSignal;
  readonly #deps: DaemonDeps;
  readonly #initial: LiveJsonObject;
  readonly #name: string;
  #log: Logger | undefined;
  #run: RecordedRun | undefined;

  constructor(deps: DaemonDeps, initial: LiveJsonObject, signal: AbortSignal, name: string) {
    this.#deps = deps;
    this.#initial = initial;
    this.#name = name;
    this.signal = signal;
    this.enqueue = this.enqueue.bind(this);
    this.event = this.event.bind(this);
  }
  get object(): LiveJsonObject {
    const { name, namespace, uid } = this.#initial.metadata;
    const current = this.#deps.primary.get({ name, namespace }) as LiveJsonObject | undefined;
    return current?.metadata.uid === uid ? current : this.#initial;
  }
  get client(): Client {
    const { deps, controller } = this.#deps;
    const client = createWriteThroughClient(deps.client, deps.cache);
    return createBoundClient(client, {
      signal: this.signal,
      fieldManager: controller.name,
      writeGate: deps.writeGate,
      run: this.#getRun(),
    });
  }
  get clock(): Clock {
    return this.#deps.deps.clock;
  }
  get now(): Date {
    return new Date(this.clock.now());
  }
  get assertLeading(): () => void {
    return this.#deps.deps.writeGate;
  }
  get log(): Logger {
    const { deps, controller } = this.#deps;
    const fields = { controller: controller.name, object: formatName(this.#initial.metadata), daemon: this.#name };
    this.#log ??= recordLog(deps.logger.with(fields), deps.flightRecorder);
    return this.#log;
  }
  event(...args: Parameters<RecordEvent>): void {
    createRecordEvent(this.#deps.controller, this.#deps.deps, this.object, this.#getRun())(...args);
  }
  /** All writes of a daemon belong to one run, whose cause is the version of the object with which the daemon was started. */
  #getRun(): RecordedRun | undefined {
    const { runs, controller } = this.#deps;
    if (runs === undefined || this.#run !== undefined) return this.#run;
    const { namespace, name, uid, resourceVersion } = this.#initial.metadata;
    const key = `${toKey(this.#initial.metadata)} daemon ${this.#name}`;
    const object = { kind: controller.kind.kind, namespace, name, uid, resourceVersion };
    runs.enqueue(key, { event: "daemon", source: this.#name, object });
    this.#run = runs.begin(key, 0);
    return this.#run;
  }
  enqueue(): void {
    this.#deps.enqueue(toKey(this.#initial.metadata), this.#name);
  }
}
